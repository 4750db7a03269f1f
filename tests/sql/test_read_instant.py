from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.instant import read_instant
from tests.filtering.strategies import NO_TIMES, TIMES

_READ = """
SELECT (1000000 * (extract(epoch FROM ragspine.read_instant_v1(t.text))
                   - extract(epoch FROM timestamptz '0001-01-01 00:00:00+00')))::bigint
  FROM unnest(%s::text[]) WITH ORDINALITY AS t (text, position) ORDER BY t.position
"""


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/St_Johns"])
@pytest.mark.parametrize("style", ["ISO, DMY", "German", "SQL, MDY"])
def test_both_languages_read_the_same_instants_under_every_setting(
    owner_transaction: psycopg.Connection[Any], zone: str, style: str
):
    texts = [*TIMES, *NO_TIMES, "2024-03-04", "1700-02-29", "2000-02-29", "2024-05-01T12:34:56.1234567-09:30"]
    owner_transaction.execute(
        "SELECT set_config('timezone', %s, true), set_config('datestyle', %s, true)", [zone, style]
    )
    read = [microseconds for (microseconds,) in owner_transaction.execute(_READ, [texts])]
    assert read == [read_instant(text) for text in texts]
    assert None in read
    assert len([instant for instant in read if instant is not None]) > 0


def test_fractions_are_cut_not_rounded():
    assert read_instant("2024-05-01T00:00:00.9999999Z") == read_instant("2024-05-01T00:00:00.999999Z")
    assert read_instant("2024-04-30T23:59:59.9999999Z") != read_instant("2024-05-01")
