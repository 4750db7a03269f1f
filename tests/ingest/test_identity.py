"""Python and SQL compute the same identities, whatever the text."""

import hypothesis.strategies as st
import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings

from ragspine_pg.ingest.identity import chunk_ids, content_sha256
from tests.fixtures.database import Database

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXT, TEXT)
@example('"\\/\b\f\n\r\t\x01\x1f\x7f\x80', "\u2028\u2029\ufeff🦊")
def test_sql_and_python_identities_are_the_same(
    owner_transaction: psycopg.Connection[tuple[str, str]], one: str, two: str
) -> None:
    row = owner_transaction.execute(
        "SELECT ragspine.document_sha256_v1(%s, %s), ragspine.chunk_id_v1(%s, %s, %s, 1)", [one, two, one, two, one]
    ).fetchone()
    assert row == (content_sha256(one, two), chunk_ids(one, two, [one, one])[1])


def test_readers_are_hashed_as_a_set(owner_transaction: psycopg.Connection[tuple[bool, bool, bool]]) -> None:
    row = owner_transaction.execute(
        """
        SELECT ragspine.readers_sha256_v1('{b,a,a}', false) = ragspine.readers_sha256_v1('{a,b}', false),
               ragspine.readers_sha256_v1('{"a,b"}', false) <> ragspine.readers_sha256_v1('{a,b}', false),
               ragspine.readers_sha256_v1('{a}', true) = ragspine.readers_sha256_v1('{}', false)
        """
    ).fetchone()
    assert row == (True, True, True)


@pytest.mark.parametrize("labels", [["internal"], ["INTERNAL "], [""], ["SECRET"]])
def test_no_class_is_made_for_an_unknown_label(database: Database, labels: list[str]) -> None:
    with psycopg.connect(database.ingest_url) as connection:
        connection.execute("INSERT INTO ragspine.tenant (tenant) VALUES ('labels') ON CONFLICT DO NOTHING")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(
                "SELECT ragspine.acl_class_no_v1(tenant_no, %s, true, '{}')"
                " FROM ragspine.tenant WHERE tenant = 'labels'",
                labels,
            )
