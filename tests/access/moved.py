"""A library with one document that is relabelled, what callers get of it by every door, and what is stored of it."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import product
from typing import Any

import psycopg

from ragspine_pg import Access, AsyncRagSpine, Document, EmbeddingTask, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.metadata import load_json
from ragspine_pg.flow.steps import Flow
from tests.access.world import HANDBOOK, MODEL, MODES, PLAIN, QUESTION, Mode
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine

MOVED = Document(
    "moved",
    "# Returns of everything\n\n"
    + "\n\n".join(
        f"## Article {n}\n\nQ: Who may return part {n}?\n\nA: Return the order of part {n} within thirty days, "
        f"says article {n}, which staff and finance read in the {n}th month of each year before they send an order out."
        for n in range(1, 9)
    ),
    title="Return an order",
    metadata={"n": 9, "secret": False},
)
CHUNKERS = ("default", "whole", "layout", "parent_child", "sentence_window", "qa", "laws")


WITHOUT_VECTORS = {"without vectors": PLAIN}
WITH_VECTORS = {name: mode for name, mode in MODES.items() if mode.embedded}


def callers(tenant: str) -> dict[str, Access]:
    """Who asks, in this tenant."""
    return {
        "staff": Access(tenant, {"user:ann", "group:staff"}),
        "finance": Access(tenant, {"user:bob", "group:finance"}),
        "outsider": Access(tenant, {"user:eve"}),
    }


Modes = Mapping[str, Mode]
"""Modes by name, all of libraries with vectors or all of libraries without."""

Shown = dict[tuple[str, str], str]
"""The name of a mode and a caller, to an answer in full."""


def ask_sql(connection: psycopg.Connection[Any], grant: str, mode: Mode) -> str:
    """``search_json``, in the transaction that the connection is in."""
    wanted = mode.embedded and mode.mode != "economy"
    connection.execute("SELECT ragspine.assume(%s)", [grant])
    row = connection.execute(
        "SELECT ragspine.search_json(%(query)s, k => 100, mode => %(mode)s, expand => 'parent', fusion => %(fusion)s,"
        " query_embedding => %(vector)s, query_space => %(space)s)",
        {
            "query": QUESTION,
            "mode": mode.mode or "auto",
            "fusion": None if mode.fusion is None else json.dumps({"method": mode.fusion}),
            "vector": vector_text(MODEL.embed([QUESTION], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
            if wanted
            else None,
            "space": MODEL.space.fingerprint if wanted else None,
        },
    ).fetchone()
    assert row is not None
    return str(row[0])


def options(mode: Mode) -> dict[str, Any]:
    """What the clients' searches are told of ``mode``, as ``ask_sql`` is."""
    return {"k": 100, "mode": mode.mode, "fusion": mode.fusion, "expand": "parent"}


def ask(spine: RagSpine, access: Access, mode: Mode) -> str:
    """The blocking client."""
    return spine.search(QUESTION, access=access, **options(mode)).to_json()


async def ask_awaited(spine: AsyncRagSpine, access: Access, mode: Mode) -> str:
    """The awaited client."""
    return (await spine.search(QUESTION, access=access, **options(mode))).to_json()


class Doors:
    """Every way to ask, each on connections that stay open all the time."""

    def __init__(self, database: Database, opened: ExitStack) -> None:
        self.database = database
        self.spine = opened.enter_context(open_spine(database))
        self.reader = opened.enter_context(psycopg.connect(database.reader_url, prepare_threshold=None))
        self.owner = opened.enter_context(psycopg.connect(database.owner_url, autocommit=True))
        self._runner = opened.enter_context(asyncio.Runner())
        awaited = open_async_spine(database)
        self._awaited = self._runner.run(awaited.__aenter__())
        opened.callback(lambda: self._runner.run(awaited.__aexit__(None, None, None)))

    def by_facade(self, access: Access, mode: Mode) -> str:
        """The blocking client."""
        return ask(self.spine, access, mode)

    def by_awaiting(self, access: Access, mode: Mode) -> str:
        """The awaited client."""
        return self._runner.run(ask_awaited(self._awaited, access, mode))

    def by_sql(self, access: Access, mode: Mode) -> str:
        """One connection for all callers, a transaction for each."""
        found = ask_sql(self.reader, self.spine.grant(access), mode)
        self.reader.commit()
        return found

    def shown(self, library: Library, modes: Modes) -> Shown:
        """What each caller gets in each mode, which is the same by every door."""
        found = self.shown_by_sql(library, modes)
        for name, mode in modes.items():
            for caller, access in callers(library.tenant).items():
                assert self.by_facade(access, mode) == found[name, caller]
                assert self.by_awaiting(access, mode) == found[name, caller]
        return found

    def shown_by_sql(self, library: Library, modes: Modes) -> Shown:
        """The same, by one door."""
        asking = product(modes.items(), callers(library.tenant).items())
        return {(name, caller): self.by_sql(access, mode) for (name, mode), (caller, access) in asking}

    def build(self, tenant: str, modes: Modes, chunker: str = "default") -> Library:
        """The handbook, without the document; in short chunks, where the chunker can be told."""
        told = {"chunker_options": {"size": 300}} if chunker not in ("whole", "sentence_window") else {}
        library = self.spine.create_library(
            tenant,
            "handbook",
            chunker=chunker,
            fields={"n": "number"},
            embedding=MODEL if _embedded(modes) else None,
            profile=told,
        )
        library.ingest(HANDBOOK)
        return library

    def rows_below(self, library: Library) -> dict[str, int]:
        """How many rows each table has of the document; all of them are of the document's class."""
        counted = " UNION ALL ".join(
            f"SELECT '{table}', count(*)::int, (count(*) FILTER (WHERE x.acl_class_no <> d.acl_class_no))::int"
            f" FROM d JOIN ragspine.{table} AS x USING (tenant_no, document_no)"
            for table in _BELOW
        )
        rows: list[tuple[str, int, int]] = self.owner.execute(
            "WITH d AS MATERIALIZED (SELECT d.tenant_no, d.document_no, d.acl_class_no FROM ragspine.tenant AS t"
            " JOIN ragspine.document AS d USING (tenant_no) WHERE t.tenant = %s AND d.document_id = 'moved') "
            + counted,
            [library.tenant],
        ).fetchall()
        assert [table for table, _, astray in rows if astray] == [], "rows keep the old class"
        return {table: number for table, number, _ in rows}


def _embedded(modes: Modes) -> bool:
    [embedded] = {mode.embedded for mode in modes.values()}
    return embedded


@contextmanager
def opened(database: Database) -> Iterator[Doors]:
    """The doors of a database."""
    with ExitStack() as stack:
        yield Doors(database, stack)


_BELOW = ("document_page", "document_field", "chunk", "parent_window", "chunk_lexical", "chunk_embedding")


def hits_of(answer: str, document_id: str = "moved") -> list[dict[str, Any]]:
    """The document's hits in an answer."""
    return [hit for hit in json.loads(answer)["hits"] if hit["document_id"] == document_id]


def labelled(answer: str, label: str) -> str:
    """The answer with another label at the document's hits."""
    plain = load_json(answer)
    for hit in plain["hits"]:
        if hit["document_id"] == "moved":
            hit["sensitivity"] = label
    return canonical_json(plain)


def scores_of_others(answer: str) -> dict[str, Any]:
    """The scores of all other chunks."""
    return {hit["chunk_id"]: hit["scores"] for hit in json.loads(answer)["hits"] if hit["document_id"] != "moved"}


def watched(flow: Flow[Any], look: Callable[[], object]) -> Flow[Any]:
    """The same flow, with a look from outside after each step."""

    def steps() -> Flow[Any]:
        step = next(flow)
        while True:
            reply = yield step
            look()
            try:
                step = flow.send(reply)
            except StopIteration as end:
                return end.value

    return steps()
