"""Vectors on their way to the database: the text they are sent as is read back to the bit."""

import math
import random
import struct
from array import array

import psycopg
import pytest

from ragspine_pg.contract.embedded import vector_text
from tests.fixtures.database import Database

EXTREME = [0.0, -0.0, 1.0, -1.5, 0.1, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-45, 16777217.0]


def numbers() -> "array[float]":
    """Any bits that are a finite float32, and numbers as they stand in vectors."""
    rng = random.Random(5)
    found = array("f", EXTREME)
    while len(found) < 8000:
        (number,) = struct.unpack("f", rng.randbytes(4))
        if math.isfinite(number):
            found.append(number)
    found.extend(rng.gauss(0, 0.05) for _ in range(8000))
    return found


def test_the_text_of_a_vector_is_read_back_to_the_bit_and_short(database: Database) -> None:
    sent = numbers()
    text = vector_text(sent)
    assert len(text) <= 17 * len(sent)
    with psycopg.connect(database.owner_url) as connection:
        row = connection.execute("SELECT ragspine.parse_embedding_v1(%s)::real[]", [text]).fetchone()
    assert row is not None
    assert array("f", row[0]).tobytes() == sent.tobytes()


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 1e39])
def test_a_number_that_float32_does_not_hold_is_refused(database: Database, number: float) -> None:
    with psycopg.connect(database.owner_url) as connection, pytest.raises(psycopg.DataError):
        connection.execute("SELECT ragspine.parse_embedding_v1(%s)", [vector_text([1.0, number])])
