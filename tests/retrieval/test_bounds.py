"""A call ends when it should: by its deadline, by a cancel, and never with more than was asked for."""

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from ragspine_pg import Access, Cancellation, Deadline, Document, EmbeddingTask, RagSpine, RetrievalContext
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import Cancelled, DeadlineExceeded, ModeUnavailable, QueryError, UnavailableError
from ragspine_pg.statement import search as statements
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel
from tests.fixtures.spine import Plant, open_async_spine, open_spine

ME = Access("bounds", {"user:ann"})
SLOW = ("  PERFORM ragspine.check_search_v1", "  PERFORM pg_sleep(20);\n  PERFORM ragspine.check_search_v1")


@pytest.fixture
def filled(spine: RagSpine) -> RagSpine:
    library = spine.create_library("bounds", "notes", exist_ok=True)
    library.ingest([Document(f"note-{n}", f"return note {n} " + "padding " * (n % 9)) for n in range(40)])
    return spine


@pytest.fixture
def slow(fresh_spine: RagSpine, plant: Plant) -> RagSpine:
    fresh_spine.create_library("bounds", "notes").ingest([Document("note", "return")])
    plant("lexical_leg_v1", SLOW)
    return fresh_spine


def test_a_deadline_stops_the_statement(slow: RagSpine) -> None:
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        slow.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(0.3)))
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("mode", ["hybrid", "economy"])
def test_a_deadline_is_that_of_all_statements_together(fresh_spine: RagSpine, plant: Plant, mode: str) -> None:
    """Of two statements neither takes as long as the whole may: the second is cut short."""
    fresh_spine.create_library("bounds", "notes", embedding=WrittenModel()).ingest([Document("note", "return [1, 2]")])
    assert fresh_spine.search("return [1, 2]", access=ME, mode=mode).hits  # warm: the legs go out in one batch
    for function, line, seconds in (
        ("lexical_leg_v1", "  PERFORM ragspine.check_search_v1", 2),
        ("vector_leg_v1", "  PERFORM ragspine.check_search_v1", 2.8),
        ("read_passages_v1", "  IF granted.state", 2.8),
    ):
        plant(function, (line, f"  PERFORM pg_sleep({seconds});\n{line}"))
    bounded = RetrievalContext(deadline=Deadline.after(3))
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        fresh_spine.search("return [1, 2]", access=ME, mode=mode, context=bounded)
    assert time.monotonic() - began < 4.5


def test_the_time_of_one_leg_is_not_that_of_what_follows(fresh_spine: RagSpine, plant: Plant) -> None:
    fresh_spine.create_library("bounds", "notes", embedding=WrittenModel()).ingest([Document("note", "return [1, 2]")])
    plant("read_passages_v1", ("  IF granted.state", "  PERFORM pg_sleep(2.5);\n  IF granted.state"))
    half = RetrievalContext(deadline=Deadline.after(4), allow_partial=True)
    assert fresh_spine.search("return [1, 2]", access=ME, context=half).hits


def test_a_deadline_bounds_the_wait_for_a_connection(database: Database) -> None:
    config = ServiceConfig(pool_size=1)
    with (
        RagSpine.open(
            database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key, config=config
        ) as one,
        one._source.transaction(read_only=True),
    ):
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            one.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(0.3)))
        assert time.monotonic() - began < 10


def test_a_deadline_bounds_the_awaited_wait_for_a_connection(database: Database) -> None:
    async def body() -> None:
        async with (
            open_async_spine(database, config=ServiceConfig(pool_size=1)) as one,
            one._source.transaction(read_only=True),
        ):
            with pytest.raises(DeadlineExceeded):
                async with asyncio.timeout(10):
                    await one.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(0.3)))

    asyncio.run(body())


def test_a_deadline_bounds_the_wait_for_a_lent_connection(database: Database) -> None:
    with (
        psycopg.connect(database.reader_url, autocommit=True) as lent,
        RagSpine.open(lent, grant_key=database.grant_key) as spine,
        ThreadPoolExecutor(1) as other,
        spine._source.transaction(read_only=True),
    ):
        bounded = RetrievalContext(deadline=Deadline.after(0.3))
        searching = other.submit(lambda: spine.search("return", access=ME, context=bounded))
        with pytest.raises(DeadlineExceeded):
            searching.result(10)


def test_a_cancel_while_a_connection_is_waited_for_stops_the_search(database: Database) -> None:
    config = ServiceConfig(pool_size=1)
    with (
        RagSpine.open(
            database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key, config=config
        ) as one,
        ThreadPoolExecutor(1) as other,
    ):
        cancellation = Cancellation()
        with one._source.transaction(read_only=True):
            context = RetrievalContext(cancellation=cancellation)
            searching = other.submit(lambda: one.search("return", access=ME, context=context))
            time.sleep(0.3)  # it waits
            cancellation.cancel()
        with pytest.raises(Cancelled):
            searching.result(10)


def test_what_waits_for_a_lock_before_anything_is_searched_is_bounded(filled: RagSpine, database: Database) -> None:
    """As a migration holds one."""
    assert filled.search("return", access=ME).hits
    with psycopg.connect(database.owner_url) as owner:
        owner.execute("LOCK TABLE ragspine.grant_key IN ACCESS EXCLUSIVE MODE")
        letting_go = threading.Timer(8, owner.rollback)
        letting_go.start()
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            filled.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(0.5)))
        assert time.monotonic() - began < 6
        letting_go.cancel()


def test_a_thread_that_the_application_keeps_busy_is_not_waited_for(database: Database, filled: RagSpine) -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        release = threading.Event()
        async with open_async_spine(database) as spine:
            await spine.create_library("busy", "notes", embedding="hashing")
            await spine.library("busy", "notes").ingest([Document("note", "return")])
            me = Access("busy", {"user:ann"})
            assert (await spine.search("return", access=me)).mode == "hybrid"
            busy = loop.run_in_executor(None, release.wait, 30)
            try:
                with pytest.raises(DeadlineExceeded):
                    async with asyncio.timeout(10):
                        await spine.search("return", access=me, context=RetrievalContext(Deadline.after(0.3)))
            finally:
                release.set()
                await busy
            assert (await spine.search("return", access=me)).mode == "hybrid", "and nothing of it stays"

    asyncio.run(body())


def test_a_cancelled_wait_for_a_connection_is_told_as_such(database: Database) -> None:
    with (
        ConnectionPool(database.reader_url, min_size=1, max_size=1, timeout=1, kwargs={"autocommit": True}) as pool,
        RagSpine.open(pool, grant_key=database.grant_key) as spine,
        pool.connection(),
    ):
        cancellation = Cancellation()
        threading.Timer(0.3, cancellation.cancel).start()
        with pytest.raises(Cancelled):
            spine.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))


def test_a_server_that_says_nothing_is_not_waited_for_longer(database: Database) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(2) as threads:
        url = f"postgresql://reader@127.0.0.1:{silent.getsockname()[1]}/app?connect_timeout=60"
        source = open_source(url)

        def wait() -> None:
            with source.transaction(True, 0.5):
                raise AssertionError("nobody answered")

        began = time.monotonic()
        for waiting in [threads.submit(wait) for _ in range(2)]:
            with pytest.raises(UnavailableError):
                waiting.result(30)
        assert time.monotonic() - began < 20


def test_a_grant_is_signed_when_the_transaction_begins(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that takes longer to answer than a grant is valid."""
    me, clock = Access("patience", {"user:ann"}), time.time

    class Slow(WrittenModel):
        def embed(self, *arguments: Any, **options: Any) -> Any:
            if arguments[1] is EmbeddingTask.RETRIEVAL_QUERY:
                monkeypatch.setattr(time, "time", clock)
            return super().embed(*arguments, **options)

    with open_spine(database) as spine:
        made = spine.create_library("patience", "slow", embedding=Slow(name="slow"))
        made.ingest([Document("note", "return [1, 2]")])
        spine.search("return [1, 2]", access=me)  # its libraries are known from now on
        monkeypatch.setattr(time, "time", lambda: clock() - 3600)  # what is signed now has run out
        assert spine.search("return [1, 2]", access=me).hits


def test_a_passed_deadline_asks_nothing(filled: RagSpine) -> None:
    with pytest.raises(DeadlineExceeded):
        filled.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(0)))
    assert filled.search("return", access=ME).hits, "and nothing of it stays on the connection"


def test_a_time_limit_of_the_session_stays_and_tightens(filled: RagSpine, database: Database) -> None:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        connection.execute("SET statement_timeout = '90s'")
        seen = []
        for deadline in (None, Deadline.after(3600), Deadline.after(5)):
            with connection.transaction(), RagSpine.open(connection, grant_key=database.grant_key) as spine:
                assert spine.search("return", access=ME, context=RetrievalContext(deadline=deadline)).hits
                if deadline is not None:
                    connection.execute(statements.bound.text, {"timeout": int(deadline.remaining() * 1000)})
                row = connection.execute("SHOW statement_timeout").fetchone()
                assert row is not None
                seen.append(str(row[0]))
        assert seen[0] == seen[1] == "90s"
        assert seen[2].endswith("ms")
        assert connection.execute("SHOW statement_timeout").fetchone() == ("90s",)


def test_a_deadline_can_only_be_tightened() -> None:
    deadline = Deadline.after(1)
    assert deadline.tighten(60) == deadline
    assert deadline.tighten(0.5).at < deadline.at


def test_a_cancel_from_another_thread_stops_the_statement(slow: RagSpine) -> None:
    cancellation = Cancellation()
    timer = threading.Timer(0.5, cancellation.cancel)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        slow.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))
    assert time.monotonic() - began < 10
    with pytest.raises(Cancelled):
        slow.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))


def test_a_cancel_stops_no_other_search(filled: RagSpine) -> None:
    cancellation = Cancellation()
    filled.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))
    cancellation.cancel()
    assert filled.search("return", access=ME).hits


@pytest.mark.parametrize("k", [0, -1, 1001, 1.5, "3", True, None])
def test_k_is_bounded(filled: RagSpine, k: object) -> None:
    with pytest.raises(QueryError, match="from 1 to 1000"):
        filled.search("return", access=ME, k=k)  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [1, 7, 39, 40, 41, 1000])
def test_k_is_filled_while_rows_qualify(filled: RagSpine, k: int) -> None:
    result = filled.search("return", access=ME, k=k)
    assert len(result.hits) == min(k, 40)
    assert (result.reason is None) == (k <= 40)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)


def test_ties_go_by_chunk_id(filled: RagSpine) -> None:
    hits = filled.search("return", access=ME, k=40).hits
    assert [(-hit.score, hit.chunk_id) for hit in hits] == sorted((-hit.score, hit.chunk_id) for hit in hits)
    assert len({hit.score for hit in hits}) < 40, "there are ties to break"
    for k in range(1, 40):
        assert filled.search("return", access=ME, k=k).hits == hits[:k]


@pytest.mark.parametrize("query", ["a\0b", "\ud800", None, 3])
def test_what_is_no_query_is_said_so(filled: RagSpine, query: object) -> None:
    with pytest.raises(QueryError, match="query"):
        filled.search(query, access=ME)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_mode_that_cannot_run_is_an_error(filled: RagSpine, mode: str) -> None:
    with pytest.raises(ModeUnavailable, match="embedding space"):
        filled.search("return", access=ME, mode=mode)


def test_an_unknown_mode_lists_the_known(filled: RagSpine) -> None:
    with pytest.raises(QueryError, match="auto, economy, vector, hybrid"):
        filled.search("return", access=ME, mode="fast")


@pytest.mark.parametrize(
    "query",
    [
        'What\'s our "password" policy?',
        "AT&T | R&D",
        "a & | ! ( :* <-> '",
        "'",
        "\\",
        "the of and",
        "",
        "   ",
        "?!…",
        "\U0001f600 \U0001f468\u200d\U0001f469",
        "%s %(name)s :name $x ?",
        "return " * 5000,
        " ".join(f"w{n}" for n in range(9_000)),
        "x" * 65_536,
    ],
)
def test_no_user_text_is_an_error(filled: RagSpine, query: str) -> None:
    result = filled.search(query, access=ME, k=3)
    assert bool(result.hits) == ("return" in query)
    assert result.reason in (None, "no_searchable_term", "no_match")


def test_one_unknown_word_does_not_spoil_a_question(filled: RagSpine) -> None:
    assert filled.search("Freundliche Grüsse bitte return xyzzy", access=ME).hits


def test_a_word_said_twice_counts_twice(filled: RagSpine) -> None:
    once = filled.search("return", access=ME, k=1).hits[0].score
    assert filled.search("return return", access=ME, k=1).hits[0].score == 2 * once
