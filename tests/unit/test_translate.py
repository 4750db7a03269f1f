"""From the driver's errors to ours: what a caller can do about it, and no value of a row."""

import psycopg
import pytest

from ragspine_pg.errors import DeadlineExceeded, RagSpineError, SchemaError, UnavailableError
from ragspine_pg.flow.translate import translate


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (psycopg.errors.DeadlockDetected, UnavailableError, "run it again"),
        (psycopg.errors.SerializationFailure, UnavailableError, "run it again"),
        (psycopg.errors.LockNotAvailable, UnavailableError, "run it again"),
        (psycopg.errors.AdminShutdown, UnavailableError, "cannot be reached"),
        (psycopg.errors.QueryCanceled, DeadlineExceeded, "deadline"),
        (psycopg.errors.UndefinedTable, SchemaError, "ragspine-pg migrate"),
        (psycopg.errors.DivisionByZero, RagSpineError, "SQLSTATE 22012"),
    ],
)
def test_an_error_says_what_to_do(error: type[psycopg.Error], kind: type[RagSpineError], words: str) -> None:
    translated = translate(error("a row's text"))
    assert type(translated) is kind
    assert words in str(translated)
    assert "a row's text" not in str(translated)
