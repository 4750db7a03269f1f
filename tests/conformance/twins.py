"""The same search by every door, and the documents and cases that they are compared on."""

import json
import os
import subprocess
import sys
from typing import Any

import psycopg

from ragspine_pg import Access, AsyncRagSpine, Document, EmbeddingModel, EmbeddingTask, MetadataFilter, RagSpine
from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.metadata import load_json
from tests.fixtures.database import Database

ME = Access("twins", {"group:staff", "user:ann"})

DOCUMENTS = [
    Document(
        f"guide-{n}",
        f"# Returns {n}\n\nReturn an order within {n + 10} days.\n\n## Costs\n\nPostage of a return is {n}.50 euro.\n\n"
        + ("We test tents in wind and rain before they are sold. " * n),
        title=f"Guide {n} “naïve” \U0001f9ed",
        source_uri=f"file:///guide-{n}.md",
        metadata={
            "n": n,
            "price": n / 10,
            "tags": ["a", "é", "\U0001f600", "\ufb01"],
            "big": 2**60 + n,
            "nested": {"z": None},
        },
        readers=None if n % 3 else {"group:staff"},
        sensitivity=["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"][n % 4],
    )
    for n in range(24)
]

CASES: dict[str, dict[str, Any]] = {
    "plain": {"query": "return an order"},
    "nothing searchable": {"query": "' \\ & | ! ( :* <->"},
    "no match": {"query": "xylophone"},
    "a word twice": {"query": "return return postage"},
    "control characters": {"query": 'quote " back \\ tab \t bell \x07 del \x7f \u2028 return'},
    "three": {"query": "postage of a return", "k": 3},
    "a thousand": {"query": "postage return tents", "k": 1000},
    "windows": {"query": "postage", "expand": "parent"},
    "one library": {"query": "return", "libraries": ["guides"]},
    "two, one unknown": {"query": "return", "libraries": ["guides", "nowhere"]},
    "several libraries": {"query": "return postage", "libraries": ["guides", "手引き"], "k": 7},
    "filtered": {"query": "return", "filter": {"all_of": [{"field": "n", "op": "gte", "value": 5}]}},
    "filtered away": {"query": "return", "filter": {"any_of": []}},
    "a decimal": {"query": "return", "filter": {"field": "price", "op": "in", "value": [0.1, 0.7, 1.1]}},
    "a large number": {"query": "return", "filter": {"field": "big", "op": "eq", "value": 2**60 + 9}},
    "a least score": {"query": "return postage", "min_score": 0.6},
    "several unknown, one twice": {"query": "return", "libraries": ["zebra", "guides", "ant", "zebra"], "k": 2},
    "windows that are not there": {"query": "return", "libraries": ["手引き"], "expand": "parent"},
    "weights": {"query": "return an order", "fusion": {"weights": {"vector": 2}}},
    "a phrase": {"query": '"return an order" days'},
    "demanded and excluded": {"query": "+return postage -rain", "k": 5},
    "a prefix": {"query": "post* retur*", "k": 4},
    "demanded by prefix, filtered": {
        "query": '+tent* -"postage of"',
        "filter": {"all_of": [{"field": "n", "op": "gte", "value": 5}]},
    },
    "a demand that nothing meets": {"query": "+xylophone return"},
    "nothing but exclusions": {"query": '-return -"an order"'},
    "another language": {"query": "返品は三十日以内", "expand": "parent"},
}


def build(spine: RagSpine, tenant: str = ME.tenant, **options: Any) -> None:
    """Two libraries, in two languages, made with ``options``."""
    profile = {"chunker_options": {"size": 120}}
    spine.create_library(
        tenant, "guides", chunker="parent_child", fields={"n": "number"}, profile=profile, **options
    ).ingest(DOCUMENTS)
    spine.create_library(tenant, "手引き", analyzer="cjk", **options).ingest(
        [Document("返品", "返品は三十日以内にお願いします。return postage", title="手引き")]
    )


def python(spine: RagSpine, case: dict[str, Any], *, access: Access = ME) -> str:
    """By the blocking client."""
    return spine.search(case["query"], access=access, **_options(case)).to_json()


async def awaited(spine: AsyncRagSpine, case: dict[str, Any], *, access: Access = ME) -> str:
    """By the awaited client."""
    return (await spine.search(case["query"], access=access, **_options(case))).to_json()


def _options(case: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in case.items() if name not in ("query", "filter")}
    if "filter" in case:
        options["metadata_filter"] = MetadataFilter.from_json(json.dumps(case["filter"]))
    return options


def sql(
    database: Database,
    spine: RagSpine,
    case: dict[str, Any],
    *,
    access: Access = ME,
    model: EmbeddingModel | None = None,
) -> str:
    """By ``search_json``; with a ``model``, with the query's vector."""
    vector = None
    if model is not None:
        vector = vector_text(model.embed([case["query"]], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
        row = connection.execute(
            "SELECT ragspine.search_json(%(query)s, k => %(k)s, libraries => %(libraries)s,"
            " filter => %(filter)s::jsonb, expand => %(expand)s, min_score => %(min_score)s,"
            f" query_embedding => %(vector)s::{vector_type(connection)}, query_space => %(space)s,"
            " mode => %(mode)s, fusion => %(fusion)s::jsonb)",
            {
                "query": case["query"],
                "k": case.get("k", 10),
                "libraries": case.get("libraries"),
                "filter": json.dumps(case["filter"]) if "filter" in case else None,
                "expand": case.get("expand"),
                "min_score": case.get("min_score"),
                "vector": vector,
                "space": None if model is None else model.space.fingerprint,
                "mode": case.get("mode", "auto"),
                "fusion": json.dumps(case["fusion"]) if "fusion" in case else None,
            },
        ).fetchone()
        assert row is not None
        return str(row[0])


def vector_type(connection: psycopg.Connection[Any]) -> str:
    """The name of pgvector's type, wherever it is."""
    row = connection.execute(
        "SELECT format('%I.vector', n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace"
        " WHERE e.extname = 'vector'"
    ).fetchone()
    assert row is not None
    return str(row[0])


def environment(database: Database) -> dict[str, str]:
    """Ours without its own settings, with the database's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGSPINE_")}
    return kept | {"RAGSPINE_DATABASE_URL": database.reader_url, "RAGSPINE_GRANT_KEY": database.grant_key}


def command_line(database: Database, case: dict[str, Any], *, access: Access = ME) -> str:
    """By ``ragspine-pg search --json``, without the usage."""
    target = access.tenant + ("/" + ",".join(case["libraries"]) if "libraries" in case else "")
    words = [target, case["query"], "-k", str(case.get("k", 10)), "--json"]
    for principal in access.principals:
        words += ["--as", principal]
    if "filter" in case:
        words += ["--filter", json.dumps(case["filter"])]
    if "mode" in case:
        words += ["--mode", case["mode"]]
    if "expand" in case:
        words += ["--expand", case["expand"]]
    done = subprocess.run(
        [sys.executable, "-m", "ragspine_pg", "search", *words],
        env=environment(database),
        capture_output=True,
        check=True,
        text=True,
    )
    # Its object has the usage besides: what is compared is the rest, written canonically again.
    printed = load_json(done.stdout)
    assert printed.pop("usage")["seconds"] > 0
    return canonical_json(printed)
