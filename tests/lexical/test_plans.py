"""A search that is prepared once is planned alike for a tiny tenant and a large one, first and twentieth, by index."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, MetadataFilter
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.ingest import pipeline
from ragspine_pg.statement.render import render
from tests.access.test_plans import FILL
from tests.fixtures.database import Database
from tests.fixtures.pooler import WANTED, Pooler
from tests.fixtures.spine import plant_function
from tests.ingest.shelf import Shelf
from tests.lexical.load import document
from tests.lexical.planned import Asked, assert_planned_alike, tell_plans

QUERY = "w0 w3 w17 w250"
SEARCHES: Mapping[str, MetadataFilter | None] = {"plain": None, "filtered": MetadataFilter.where("n", "lt", 50)}

# Classes that are too small to be sealed stand in the tail.
TAIL = """
INSERT INTO ragspine.lexical_tail (tenant_no, version_no, acl_class_no, chunk_no)
  SELECT tenant_no, version_no, acl_class_no, chunk_no FROM ragspine.chunk;
"""


@dataclass(frozen=True)
class Tenants:
    """A tiny and a large one in a database whose readers are told all plans."""

    database: Database
    both: tuple[Asked, Asked]
    tables: frozenset[str]
    """Those of ours that have more than a few pages: others may be read from end to end."""

    def check(self, url: str, search: str, *, prepare: bool) -> None:
        """The core of these tests, on ``url``."""
        with psycopg.connect(self.database.superuser_url, autocommit=True) as superuser:
            firsts = assert_planned_alike(
                superuser, url, self.both, QUERY, SEARCHES[search], self.tables, prepare=prepare
            )
        assert search != "plain" or "posting_segment" in str(firsts["large"])


@pytest.fixture(scope="module")
def tenants(database: Database, vector_schema: str) -> Tenants:
    """Five chunks, about 10,000 in two classes, sealed, with a tail, and twenty tenants of 2,000 beside them."""
    with psycopg.connect(database.owner_url) as connection:
        connection.execute(render(FILL + TAIL, vector_schema))  # type: ignore[call-overload]
    options: dict[str, Any] = {"analyzer": "simple", "fields": {"n": "number"}, "chunker_options": {"size": 40}}
    tiny, large = Shelf(database, tenant="tiny", **options), Shelf(database, tenant="large", **options)
    tiny.ingest(*[Document(f"d{n}", f"w0 w{n} w3", metadata={"n": n}) for n in range(5)])
    large.ingest_all(document(n, 0, readers=("group:x",) if n % 10 == 0 else None) for n in range(100))
    large.run(pipeline.optimize(large.tenant, large.library))
    large.ingest(document(100, 0))
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        try:
            tables = tell_plans(connection, database.name)
        except psycopg.errors.UndefinedFile:
            pytest.skip("this server comes without auto_explain")
    assert tables >= {"chunk", "chunk_lexical", "document", "lexeme_stat", "posting_block"}
    key = GrantKey.parse(database.grant_key)
    asked = [
        Asked(of.tenant, of.library, mint_grant(key, Access(of.tenant, {"user:any"}), seconds=3000))
        for of in (tiny, large)
    ]
    return Tenants(database, (asked[0], asked[1]), tables)


@pytest.mark.parametrize("search", SEARCHES)
def test_plans_do_not_flip(tenants: Tenants, search: str) -> None:
    tenants.check(tenants.database.reader_url, search, prepare=not WANTED)


@pytest.mark.parametrize("search", SEARCHES)
def test_plans_do_not_flip_behind_a_pooler(tenants: Tenants, running_pooler: Pooler, search: str) -> None:
    url = tenants.database.reader_url
    tenants.check(url if WANTED else running_pooler.url(url), search, prepare=False)


def test_plans_do_not_flip_has_teeth(tenants: Tenants, vector_schema: str) -> None:
    edit = "SET plan_cache_mode = force_generic_plan", "SET plan_cache_mode = auto"
    plant_function(tenants.database, "readable_libraries_v1", edit, vector_schema=vector_schema)
    try:
        with pytest.raises(AssertionError, match="another plan"):
            tenants.check(tenants.database.reader_url, "plain", prepare=not WANTED)
    finally:
        plant_function(tenants.database, "readable_libraries_v1", vector_schema=vector_schema)


def test_plans_by_index_has_teeth(tenants: Tenants) -> None:
    with psycopg.connect(tenants.database.superuser_url, autocommit=True) as connection:
        hide = "UPDATE pg_index SET indisvalid = %s WHERE indexrelid = 'ragspine.pk_posting_block'::regclass"
        connection.execute(hide, [False])
        try:
            with pytest.raises(AssertionError, match="posting_block"):
                tenants.check(tenants.database.reader_url, "plain", prepare=not WANTED)
        finally:
            connection.execute(hide, [True])
