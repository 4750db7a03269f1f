"""A search that is prepared once is planned alike for a tiny tenant and a large one, first and twentieth, by index."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, MetadataFilter
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.ingest import pipeline
from ragspine_pg.statement.render import render
from tests.access.test_plans import FILL, LET_PLANS_OUT
from tests.fixtures.database import Database
from tests.fixtures.pooler import WANTED, Pooler
from tests.fixtures.spine import plant_function
from tests.ingest.shelf import Shelf
from tests.lexical.load import document

ROUNDS = 20
QUERY = "w0 w3 w17 w250"
SEARCHES: Mapping[str, MetadataFilter | None] = {"plain": None, "filtered": MetadataFilter.where("n", "lt", 50)}
SEARCH = "SELECT chunk_id FROM ragspine.search_lexical(%s, %s, %s, %s::jsonb)"

_TOLD = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_parameter_max_length": "0",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
}
# Classes that are too small to be sealed stand in the tail.
TAIL = """
INSERT INTO ragspine.lexical_tail (tenant_no, version_no, acl_class_no, chunk_no)
  SELECT tenant_no, version_no, acl_class_no, chunk_no FROM ragspine.chunk;
"""
_LARGE = "SELECT relname FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace AND relkind = 'r' AND relpages > 5"

Shape = tuple[Any, ...]
"""A node of a plan: its type, table, index, and those below it; no costs, no conditions."""

Plans = dict[str, frozenset[Shape]]
"""Of each statement that ran: how it was planned."""


@dataclass(frozen=True)
class Tenants:
    """A tiny and a large one in a database whose readers are told all plans."""

    database: Database
    tiny: Shelf
    large: Shelf
    tables: frozenset[str]
    """Those of ours that have more than a few pages: others may be read from end to end."""

    @property
    def both(self) -> tuple[Shelf, Shelf]:
        """The tiny one first."""
        return self.tiny, self.large


@pytest.fixture(scope="module")
def tenants(database: Database, vector_schema: str) -> Tenants:
    """Five chunks, about 10,000 in two classes, sealed, with a tail, and twenty tenants of 2,000 beside them."""
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        try:
            connection.execute("LOAD 'auto_explain'")
        except psycopg.errors.UndefinedFile:
            pytest.skip("this server comes without auto_explain")
        for name, value in _TOLD.items():
            connection.execute(f"ALTER ROLE reader IN DATABASE {database.name} SET {name} = '{value}'")
    options: dict[str, Any] = {"analyzer": "simple", "fields": {"n": "number"}, "chunker_options": {"size": 40}}
    with psycopg.connect(database.owner_url) as connection:
        connection.execute(render(FILL + TAIL, vector_schema))  # type: ignore[call-overload]
    tiny, large = Shelf(database, tenant="tiny", **options), Shelf(database, tenant="large", **options)
    tiny.ingest(*[Document(f"d{n}", f"w0 w{n} w3", metadata={"n": n}) for n in range(5)])
    large.ingest_all(document(n, 0, readers=("group:x",) if n % 10 == 0 else None) for n in range(100))
    large.run(pipeline.optimize(large.tenant, large.library))
    large.ingest(document(100, 0))
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        rows = connection.execute(_LARGE).fetchall()
    tables = frozenset(table for (table,) in rows)
    assert tables >= {"chunk", "chunk_lexical", "document", "lexeme_stat", "posting_block"}
    return Tenants(database, tiny, large, tables)


@dataclass
class Client:
    """A connection, and the plans of what it asked since ``plans`` was emptied."""

    connection: psycopg.Connection[Any]
    prepare: bool
    plans: list[tuple[str, Shape]] = field(default_factory=list)

    def search(self, shelf: Shelf, narrowed: MetadataFilter | None) -> Plans:
        """Ten results of the tenant's, and how each statement of it was planned."""
        self.plans.clear()
        grant = mint_grant(GrantKey.parse(shelf.database.grant_key), Access(shelf.tenant, {"user:any"}))
        with self.connection.transaction():
            self.connection.execute("SELECT ragspine.assume(%s)", [grant], prepare=self.prepare)
            asked = [QUERY, 10, [shelf.library], narrowed and narrowed.to_json()]
            found = self.connection.execute(SEARCH, asked, prepare=self.prepare).fetchall()
        assert len(found) >= 5
        return {text: frozenset(shape for of, shape in self.plans if of == text) for text, _ in self.plans}

    def hear(self, notice: psycopg.errors.Diagnostic) -> None:
        """Takes down a plan."""
        head, found, told = (notice.message_primary or "").partition("plan:\n")
        if found and head.startswith("duration:"):
            plan = json.loads(told)
            self.plans.append((plan["Query Text"], _shape(plan["Plan"])))


def _shape(plan: Mapping[str, Any]) -> Shape:
    node = plan["Node Type"], plan.get("Relation Name"), plan.get("Index Name")
    return (*node, *(_shape(below) for below in plan.get("Plans", ())))


@contextmanager
def client(url: str, prepare: bool) -> Iterator[Client]:
    """On ``url``; behind a pooler, which gives each transaction any server connection, nothing is prepared by name."""
    with psycopg.connect(url) as connection:
        opened = Client(connection, prepare)
        connection.add_notice_handler(opened.hear)
        yield opened


def scanned(shape: Shape) -> set[str]:
    """Tables that a plan reads from end to end."""
    kind, table, _, *below = shape
    found = {table} if kind == "Seq Scan" else set()
    return found.union(*(scanned(each) for each in below))


def assert_planned_alike(tenants: Tenants, url: str, prepare: bool, search: str) -> None:
    """The core: whoever asks first, each tenant's search is planned as it was in the first round, and by index."""
    with psycopg.connect(tenants.database.superuser_url, autocommit=True) as connection:
        connection.execute(LET_PLANS_OUT)
    orders: Sequence[tuple[Shelf, Shelf]] = [tenants.both, (tenants.large, tenants.tiny)]
    firsts: dict[str, Plans] = {}
    for order in orders:
        with client(url, prepare) as asking:
            for turn in range(ROUNDS):
                for shelf in order:
                    plans = asking.search(shelf, SEARCHES[search])
                    for text, of in plans.items():
                        tables = set[str]().union(*(scanned(shape) for shape in of))
                        tables &= tenants.tables
                        assert not tables, f"{shelf.tenant}: {tables} are read from end to end by {text}"
                    first = firsts.setdefault(shelf.tenant, plans)
                    # What is constant is worked out when a statement is planned, and not heard of again.
                    flipped = {text for text in plans if plans[text] != first.get(text, plans[text])}
                    assert not flipped, f"round {turn + 1}: another plan of {flipped}"
                    assert turn > 0 or len(plans) > 20, "no plan was heard of"
        assert search != "plain" or any("posting_segment" in str(plans) for plans in firsts.values())


@pytest.mark.parametrize("search", SEARCHES)
def test_plans_do_not_flip(tenants: Tenants, search: str) -> None:
    assert_planned_alike(tenants, tenants.database.reader_url, not WANTED, search)


@pytest.mark.parametrize("search", SEARCHES)
def test_plans_do_not_flip_behind_a_pooler(tenants: Tenants, running_pooler: Pooler, search: str) -> None:
    database = tenants.database
    url = database.reader_url if WANTED else running_pooler.url(database.reader_url)
    assert_planned_alike(tenants, url, False, search)


def test_plans_do_not_flip_has_teeth(tenants: Tenants, vector_schema: str) -> None:
    edit = "SET plan_cache_mode = force_generic_plan", "SET plan_cache_mode = auto"
    plant_function(tenants.database, "readable_libraries_v1", edit, vector_schema=vector_schema)
    try:
        with pytest.raises(AssertionError, match="another plan"):
            assert_planned_alike(tenants, tenants.database.reader_url, not WANTED, "plain")
    finally:
        plant_function(tenants.database, "readable_libraries_v1", vector_schema=vector_schema)


def test_plans_by_index_has_teeth(tenants: Tenants) -> None:
    with psycopg.connect(tenants.database.superuser_url, autocommit=True) as connection:
        hide = "UPDATE pg_index SET indisvalid = %s WHERE indexrelid = 'ragspine.pk_posting_block'::regclass"
        connection.execute(hide, [False])
        try:
            with pytest.raises(AssertionError, match="posting_block"):
                assert_planned_alike(tenants, tenants.database.reader_url, not WANTED, "plain")
        finally:
            connection.execute(hide, [True])
