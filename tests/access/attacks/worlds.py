"""Two worlds that a caller cannot tell apart: what it may read is the same, number for number, and all else is not."""

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from ragspine_pg import Access, Document, EmbeddingTask, RagSpine
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.hashing import HashingModel
from tests.fixtures.database import Database, clone
from tests.fixtures.spine import open_spine

CANARY = "vexquil"
"""Begins a word of every hidden text, title, metadata value and field, document id, library, tenant and principal."""

ANN = Access("acme", {"user:ann", "group:staff"})
"""Whose grant the attacker holds, lawfully."""

STRANGER = Access(f"{CANARY}-corp", {f"group:{CANARY}"})
MODEL = HashingModel(64)
FIELDS = {"n": "number", "owner": "string", "due": "timestamp"}
HOUR = 3600


def _readable() -> list[Document]:
    common: dict[str, Any] = {"owner": "ann", "due": "2026-01-01T00:00:00Z"}
    return [
        Document(
            "open", "Return an order within thirty days of delivery.", title="Returns", metadata={"n": 1} | common
        ),
        Document("staff", "Staff return an order later.", readers={"group:staff"}, metadata={"n": 2} | common),
        Document("books", "Finance books what is returned.", sensitivity="CONFIDENTIAL", metadata={"n": 3} | common),
        *(
            Document(f"note-{n}", f"A note, number {n}.", metadata={"n": 1000 + n, "owner": f"o{n}"})
            for n in range(150)
        ),
    ]


def _hidden(of: str, number: int, **options: Any) -> list[Document]:
    return [
        Document(
            f"{CANARY}-{of}-{n}",
            f"{CANARY}arite return an order within thirty days {CANARY}word{n} " * (1 + n % 3),
            title=f"{CANARY} title {n}",
            source_uri=f"file:///{CANARY}/{n}",
            metadata={
                "n": 77 + n,
                "owner": f"{CANARY}-owner-{n}",
                "due": f"20{31 + n % 40}-07-07T00:00:00Z",
                f"{CANARY}-field": f"{CANARY}-value",
            },
            **{"readers": {f"group:{CANARY}"}, **options},
        )
        for n in range(number)
    ]


def _all_kinds(number: int, of: str = "") -> list[Document]:
    return [
        *_hidden(f"{of}finance", number, sensitivity="CONFIDENTIAL"),
        *_hidden(f"{of}restricted", number, sensitivity="RESTRICTED"),
        *_hidden(f"{of}closed", number, readers=set()),
        *_hidden(f"{of}secret", number, sensitivity="RESTRICTED", readers={"user:ann"}),
    ]


def _build(spine: RagSpine, *, larger: bool) -> None:
    options: dict[str, Any] = {"chunker": "parent_child", "embedding": MODEL}
    handbook = spine.create_library("acme", "handbook", fields=FIELDS, description="How we work.", **options)
    handbook.ingest(_readable())
    handbook.ingest(_all_kinds(3))
    vault = spine.create_library(
        "acme", f"{CANARY}-vault", fields={f"{CANARY}-field": "string"}, description=f"{CANARY} description", **options
    )
    vault.ingest(_all_kinds(2))
    abroad = spine.create_library(STRANGER.tenant, "handbook", fields=FIELDS, **options)
    abroad.ingest(_hidden("abroad", 3))
    handbook.publish(handbook.rebuild(chunker="default").version)
    if larger:
        # Only now: what is readable has its numbers, and they are the same in both worlds.
        handbook.ingest(_all_kinds(60, "more-"))
        vault.ingest(_all_kinds(20, "more-"))
        abroad.ingest(_hidden("more", 80, readers=None))
        abroad.publish(abroad.rebuild(chunker="whole").version)
        spine.create_library(f"{CANARY}-inc", f"{CANARY}-notes", **options).ingest(_hidden("inc", 40))


@dataclass(frozen=True)
class World:
    """A world that was built, and what an attacker knows of it."""

    database: Database
    words: Mapping[str, str]


@contextmanager
def opened(server: EmbeddedServer, template: str, *, larger: bool = False) -> Iterator[World]:
    """One of the two worlds, in a database of its own, with the planner's statistics made."""
    with clone(server, template) as database:
        with open_spine(database) as spine:
            _build(spine, larger=larger)
        with psycopg.connect(database.owner_url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        yield World(database, _words(database))


@contextmanager
def copied(server: EmbeddedServer, world: World) -> Iterator[World]:
    """A copy of ``world`` to plant a fault in. Nobody may be connected to it."""
    with clone(server, world.database.name) as database:
        yield World(database, {**world.words, "database": database.name})


def _words(database: Database) -> dict[str, str]:
    key = GrantKey.parse(database.grant_key)
    valid = mint_grant(key, ANN, seconds=HOUR)
    head, _, signature = valid.rpartition(".")
    strangers = mint_grant(key, STRANGER, seconds=HOUR)
    version, key_id, expiry, _, _ = valid.split(".")
    vector = embed_checked(MODEL, ["return an order"], EmbeddingTask.RETRIEVAL_QUERY).vectors[0]
    return {
        "valid": valid,
        "expired": mint_grant(key, ANN, seconds=1, now=1_000_000_000),
        "truncated": valid[:-1],
        "unsigned": head + ".",
        "other_payload": ".".join([version, key_id, expiry, strangers.split(".")[3], signature]),
        "capitals": valid.upper(),
        "later": ".".join([version, key_id, str(int(expiry) + 1), *valid.split(".")[3:]]),
        "foreign": strangers,
        "foreign_key": mint_grant(GrantKey.new(), STRANGER, seconds=HOUR),
        "nobody": mint_grant(key, Access("acme"), seconds=HOUR),
        "none_such": mint_grant(key, Access("nosuch", {"user:ann"}), seconds=HOUR),
        "embedding": vector_text(vector),
        "space": MODEL.space.fingerprint,
        "database": database.name,
        "canary": CANARY,
        "pattern": f"{CANARY[0]}({CANARY[1]}){CANARY[2:]}",  # matches the canary, and is none itself
    }


def _spellings(word: str) -> Iterator[str]:
    raw = word.encode()
    yield re.escape(word)
    yield raw.hex()
    yield " ".join(str(byte) for byte in raw)  # a constant in a printed plan
    yield re.escape(word[::-1])
    for lead in range(3):  # where in a group of three bytes it may begin; only digits that it decides alone
        encoded = base64.b64encode(b"\0" * lead + raw).decode()
        yield re.escape(encoded[-(-8 * lead // 6) : 8 * (lead + len(raw)) // 6])


_FOUND = re.compile("|".join(_spellings(CANARY)), re.IGNORECASE)


def shows_canary(answer: str) -> bool:
    """Whether a hidden word is in ``answer``: as it is, backwards, in hex, in base64, or as the bytes of a constant."""
    return _FOUND.search(answer) is not None
