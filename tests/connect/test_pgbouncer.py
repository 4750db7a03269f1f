"""Behind PgBouncer in transaction mode: all works, and nothing of a call stays on a connection that others share."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest
from sqlalchemy import create_engine

from ragspine_pg import Access, Cancellation, Deadline, Document, RagSpine, RetrievalContext
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import Cancelled, DeadlineExceeded, EmbeddingUnavailable, RagSpineError
from tests.fixtures.database import Database, clone
from tests.fixtures.models import WrittenModel
from tests.fixtures.pooler import SERVER_CONNECTIONS, Pooler
from tests.fixtures.spine import open_async_spine, open_spine, plant_function

TENANTS = [f"tenant-{n}" for n in range(8)]
QUERY = "return of an order [1, 2]"
MODES = ("economy", "vector", "hybrid", "auto")


@pytest.fixture
def behind(server: EmbeddedServer, template: str, running_pooler: Pooler) -> Iterator[Database]:
    """A database of this test's own, behind the pooler for all but its owner."""
    with clone(server, template, running_pooler) as made:
        yield made


def fill(spine: RagSpine, model: WrittenModel | None = None) -> None:
    model = model or WrittenModel()
    for tenant in TENANTS:
        library = spine.create_library(tenant, "notes", embedding=model, fields={"n": "number"})
        library.ingest(
            Document(f"{tenant}/{n}", f"A return of an order in {tenant}. [1, {n}]", metadata={"n": n})
            for n in range(20)
        )


def me(tenant: str) -> Access:
    return Access(tenant, {"user:me"})


def leftovers(database: Database) -> dict[str, str]:
    """What is set on any server connection of the reader's and the writer's, being neither default nor the pooler's."""
    found: dict[str, str] = {}
    for url in (database.reader_url, database.ingest_url):
        with ExitStack() as stack:
            # All of them at once, each inside a transaction, so that each has a server connection of its own.
            held = [stack.enter_context(psycopg.connect(url)) for _ in range(SERVER_CONNECTIONS)]
            pids = set()
            for connection in held:
                pids.add(connection.execute("SELECT pg_catalog.pg_backend_pid()", prepare=False).fetchone())
                rows = connection.execute(
                    "SELECT name, setting FROM pg_catalog.pg_settings WHERE source = 'session' AND name NOT IN"
                    " ('client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings', 'application_name')"
                    " UNION ALL SELECT n, pg_catalog.current_setting(n, true) FROM unnest(%s::text[]) AS n"
                    " WHERE coalesce(pg_catalog.current_setting(n, true), '') <> ''"
                    " UNION ALL SELECT 'prepared statement', name FROM pg_catalog.pg_prepared_statements"
                    " UNION ALL SELECT 'temporary table', relname FROM pg_catalog.pg_class"
                    "   WHERE relnamespace = pg_catalog.pg_my_temp_schema() AND relkind = 'r'"
                    " UNION ALL SELECT 'advisory lock', objid::text FROM pg_catalog.pg_locks"
                    "   WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()",
                    [["ragspine.grant", "ragspine.single_login", "ragspine.deadline"]],
                    prepare=False,
                ).fetchall()
                found.update(rows)
            assert len(pids) == SERVER_CONNECTIONS
    return found


def test_callers_that_share_connections_get_their_own(behind: Database) -> None:
    with open_spine(behind) as spine:
        fill(spine)
        spine.library(TENANTS[0], "notes").relabel(f"{TENANTS[0]}/3", readers={"user:other"})
        spine.library(TENANTS[0], "notes").delete(f"{TENANTS[0]}/4")

    config = ServiceConfig(pool_size=8)

    def own(work: int) -> None:
        tenant, mode = TENANTS[work % len(TENANTS)], MODES[work % len(MODES)]
        result = spine.search(QUERY, access=me(tenant), mode=mode, k=50)
        assert len(result.hits) == (18 if tenant == TENANTS[0] else 20)
        assert {hit.tenant for hit in result.hits} == {tenant}

    opened = RagSpine.open(
        behind.reader_url,
        ingest=behind.ingest_url,
        grant_key=behind.grant_key,
        config=config,
        embedding_models=[WrittenModel()],
    )
    with opened as spine, ThreadPoolExecutor(8) as threads:
        list(threads.map(own, range(96)))
    assert leftovers(behind) == {}


def test_awaited_callers_get_their_own(behind: Database) -> None:
    with open_spine(behind) as spine:
        fill(spine)

    async def body() -> None:
        async with open_async_spine(
            behind, config=ServiceConfig(pool_size=8), embedding_models=[WrittenModel()]
        ) as spine:

            async def own(work: int) -> None:
                tenant = TENANTS[work % len(TENANTS)]
                result = await spine.search(QUERY, access=me(tenant), mode=MODES[work % len(MODES)], k=50)
                assert [hit.tenant for hit in result.hits] == [tenant] * 20

            await asyncio.gather(*map(own, range(96)))
            await spine.library(TENANTS[0], "notes").ingest([Document("late", "return [1, 2]")])

    asyncio.run(body())
    assert leftovers(behind) == {}


def test_what_fails_or_is_cut_short_leaves_nothing_either(behind: Database) -> None:
    model = WrittenModel()
    with open_spine(behind) as spine:
        fill(spine, model)
        library = spine.library(TENANTS[0], "notes")
        model.failure = EmbeddingUnavailable("the model's server does not answer")
        with pytest.raises(EmbeddingUnavailable):
            library.ingest([Document("x", "new [3, 4]")])
        model.failure = None
        with pytest.raises(RagSpineError):
            library.ingest([Document("x", "once"), Document("x", "twice")])
        assert library.rebuild().version == 2
        library.publish(2)
        plant_function(
            behind,
            "read_passages_v1",
            ("  IF granted.state", "  PERFORM pg_sleep(10);\n  IF granted.state"),
        )
        with pytest.raises(DeadlineExceeded):
            spine.search(QUERY, access=me(TENANTS[0]), context=RetrievalContext(Deadline.after(1)))
        cancellation = Cancellation()
        with ThreadPoolExecutor(1) as thread:
            searching = thread.submit(
                spine.search, QUERY, access=me(TENANTS[0]), context=RetrievalContext(cancellation=cancellation)
            )
            cancellation.cancel()
            with pytest.raises(Cancelled):
                searching.result(30)
    assert leftovers(behind) == {}


def test_engines_and_lent_connections(behind: Database) -> None:
    with open_spine(behind) as spine:
        fill(spine)
    engine = create_engine(
        behind.reader_url.replace("postgresql:", "postgresql+psycopg:"), connect_args={"prepare_threshold": None}
    )
    with RagSpine.open(engine, grant_key=behind.grant_key) as spine:
        assert spine.search(QUERY, access=me(TENANTS[1]), mode="economy").hits
    engine.dispose()
    with psycopg.connect(behind.reader_url, prepare_threshold=None) as lent:
        with RagSpine.open(lent, grant_key=behind.grant_key) as spine:
            assert spine.search(QUERY, access=me(TENANTS[1]), mode="economy").hits
        lent.rollback()
    assert leftovers(behind) == {}


def test_what_fails_or_is_cut_short_leaves_nothing_has_teeth(behind: Database) -> None:
    """An identity that outlives its transaction is seen, and is what the next client would search as."""
    plant_function(behind, "assume_v1", ("coalesce(signed, ''), true)", "coalesce(signed, ''), false)"))
    with open_spine(behind) as spine:
        spine.create_library(TENANTS[0], "notes").ingest([Document("a", "return")])
        assert spine.search("return", access=me(TENANTS[0])).hits
    assert "ragspine.grant" in leftovers(behind)
