"""The fuzzing finds what it looks for: careless statements are planted, and the same assertions fail."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow import driver
from ragspine_pg.flow.steps import Fetch
from tests.access.injection.fuzz import is_ours, ranged
from tests.access.injection.payloads import TOKEN
from tests.access.injection.test_clients import fuzz
from tests.access.injection.test_functions import opened
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import Plant

pytestmark = not_behind

FOUND = pytest.raises((AssertionError, RagSpineError), match=rf"{TOKEN}|SQLSTATE 42|schema ragspine")
"""A statement with the payload in it, or one that the payload has made invalid."""

UNQUOTED = (
    "THEN ' || compiled.truth || ' END';",
    "THEN ' || compiled.truth || format(' AND ''%s'' IS NOT NULL', filter ->> 'field') || ' END';",
)
QUOTED = ("($1 #>> %L))', path || ARRAY['field']);", "%L)', condition ->> 'field');")


@pytest.mark.parametrize(
    ("function", "edit"),
    [("compile_filter_v1", UNQUOTED), ("compile_condition_v1", QUOTED)],
    ids=["unquoted", "quoted"],
)
def test_a_callers_text_in_a_statement_of_a_function_has_teeth(
    fresh_database: Database, plant: Plant, function: str, edit: tuple[str, str]
) -> None:
    """Quoted text is safe, and a caller's text in a statement all the same."""
    plant(function, edit)
    with ranged(fresh_database) as shots:
        if not shots.tap.inside:
            pytest.skip("this server comes without auto_explain")
        fuzz(shots, "Retriever.search", "query", examples=10)
        with FOUND:
            fuzz(shots, "Retriever.search", "metadata_filter", examples=60)


@pytest.mark.parametrize(
    ("function", "edit"),
    [("compile_filter_v1", UNQUOTED), ("compile_condition_v1", QUOTED)],
    ids=["unquoted", "quoted"],
)
def test_a_callers_text_that_a_function_writes_has_teeth(
    fresh_database: Database, plant: Plant, function: str, edit: tuple[str, str]
) -> None:
    plant(function, edit)
    with opened(fresh_database) as functions:
        name = "filter" if function == "compile_filter_v1" else "condition"
        with pytest.raises(AssertionError, match="writes holds a caller's text"):
            functions.fuzz(functions.found[function], name, examples=60)


def test_a_callers_text_in_a_statement_of_the_clients_has_teeth(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    careful: Callable[..., Any] = driver._fetch

    def careless(step: Fetch, connection: psycopg.Connection[Any]) -> Any:
        if step.name != "explain_find_document":
            return careful(step, connection)
        text = f"SELECT ragspine.find_document_v1('notes', '{step.params['document_id']}')"
        return careful(Fetch(step.name, text.replace("%", "%%"), {}), connection)

    with ranged(fresh_database) as shots:
        fuzz(shots, "Retriever.explain", "document_id", examples=10)
        monkeypatch.setattr(driver, "_fetch", careless)
        with FOUND:
            fuzz(shots, "Retriever.explain", "document_id", examples=30)


def test_what_is_lost_or_shown_has_teeth(fresh_database: Database) -> None:
    with ranged(fresh_database) as shots:
        ingestor = shots.spine.ingestor
        for lost in (
            lambda: ingestor.delete("acme", "notes", "own"),
            lambda: ingestor.relabel("acme", "notes", "board", readers=None),
            lambda: ingestor.drop_library("acme", "empty"),
        ):
            with pytest.raises(AssertionError):
                shots.shoot("ingest", lost, ours=is_ours)
        stage = shots.tap.stage
        for changed in (
            "CREATE ROLE another",
            "GRANT SELECT ON ragspine.chunk TO PUBLIC",
            "DROP POLICY readable ON ragspine.chunk",
            "SET LOCAL search_path = public",
        ):
            with pytest.raises(AssertionError):
                shots.shoot("ingest", lambda changed=changed: stage.administer(changed), ours=is_ours)  # type: ignore[misc]
        with pytest.raises(AssertionError, match="a hidden text comes back"):
            shots.shoot("reader", lambda: stage.administer("SELECT text FROM ragspine.chunk").fetchall(), ours=is_ours)
