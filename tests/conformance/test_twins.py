"""The same search through Python, SQL and the command line: the same bytes, process after process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.metadata import load_json
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine, plant_function

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
    "another language": {"query": "返品は三十日以内", "expand": "parent"},
}


def build(spine: RagSpine) -> None:
    """Two libraries, in two languages."""
    fields = {"n": "number"}
    spine.create_library(
        "twins", "guides", chunker="parent_child", fields=fields, profile={"chunker_options": {"size": 120}}
    ).ingest(DOCUMENTS)
    spine.create_library("twins", "手引き", analyzer="cjk").ingest(
        [Document("返品", "返品は三十日以内にお願いします。return postage", title="手引き")]
    )


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        build(spine)
        yield spine


def python(spine: RagSpine, case: dict[str, Any]) -> str:
    options = {name: value for name, value in case.items() if name not in ("query", "filter")}
    if "filter" in case:
        options["metadata_filter"] = MetadataFilter.from_json(json.dumps(case["filter"]))
    return spine.search(case["query"], access=ME, **options).to_json()


def sql(database: Database, spine: RagSpine, case: dict[str, Any]) -> str:
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [spine.grant(ME)])
        row = connection.execute(
            "SELECT ragspine.search_json(%(query)s, k => %(k)s, libraries => %(libraries)s,"
            " filter => %(filter)s::jsonb, expand => %(expand)s, min_score => %(min_score)s)",
            {
                "query": case["query"],
                "k": case.get("k", 10),
                "libraries": case.get("libraries"),
                "filter": json.dumps(case["filter"]) if "filter" in case else None,
                "expand": case.get("expand"),
                "min_score": case.get("min_score"),
            },
        ).fetchone()
        assert row is not None
        return str(row[0])


def environment(database: Database) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGSPINE_")}
    return kept | {"RAGSPINE_DATABASE_URL": database.reader_url, "RAGSPINE_GRANT_KEY": database.grant_key}


def command_line(database: Database, case: dict[str, Any]) -> str:
    target = "twins" + ("/" + ",".join(case["libraries"]) if "libraries" in case else "")
    words = [target, case["query"], "-k", str(case.get("k", 10)), "--json"]
    for principal in ME.principals:
        words += ["--as", principal]
    if "filter" in case:
        words += ["--filter", json.dumps(case["filter"])]
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


@pytest.mark.parametrize("name", CASES)
def test_python_and_sql_give_the_same_bytes(built: RagSpine, database: Database, name: str) -> None:
    assert python(built, CASES[name]) == sql(database, built, CASES[name])


@pytest.mark.parametrize("name", ["plain", "windows", "filtered", "several libraries", "another language"])
def test_the_command_line_gives_the_same_object(built: RagSpine, database: Database, name: str) -> None:
    assert command_line(database, CASES[name]) == python(built, CASES[name])


def test_the_cases_see_something(built: RagSpine) -> None:
    found = {name: json.loads(python(built, case)) for name, case in CASES.items()}
    assert {name for name, result in found.items() if not result["hits"]} == {
        "nothing searchable",
        "no match",
        "filtered away",
    }
    assert found["nothing searchable"]["reason"] == "no_searchable_term"
    assert found["no match"]["reason"] == found["filtered away"]["reason"] == "no_match"
    assert found["several libraries"]["index_versions"] == {"guides": 1, "手引き": 1}
    assert {hit["document_id"] for hit in found["a large number"]["hits"]} == {"guide-9"}
    windows = [hit["window_text"] for hit in found["windows"]["hits"] if hit["library_id"] == "guides"]
    assert windows
    assert all(windows)
    assert all(hit["scores"]["lexical"] >= 0.6 for hit in found["a least score"]["hits"])


def test_twenty_new_processes_give_the_same_bytes(built: RagSpine, database: Database) -> None:
    program = (
        "import sys; from ragspine_pg import Access, RagSpine\n"
        "with RagSpine.open() as spine:\n"
        "    access = Access('twins', {'group:staff', 'user:ann'})\n"
        "    for query in ('return postage', '返品', 'tents in wind'):\n"
        "        print(spine.search(query, access=access, expand='parent').to_json())\n"
    )
    outputs = set()
    for number in range(20):
        seed = {"PYTHONHASHSEED": str(number), "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment(database) | seed, capture_output=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert b"Postage" in outputs.pop()


@pytest.mark.parametrize("kind", ["engine", "connection", "inside a transaction", "psycopg", "reset floats"])
def test_every_target_gives_the_same_bytes(built: RagSpine, database: Database, kind: str) -> None:
    case = CASES["several libraries"]
    expected = python(built, case)
    url = database.reader_url.replace("postgresql://", "postgresql+psycopg://")
    if kind in ("psycopg", "reset floats"):
        with psycopg.connect(database.reader_url, autocommit=True) as connection:
            if kind == "reset floats":
                connection.execute("SET extra_float_digits = -10")
                connection.execute("SET TimeZone = 'Asia/Tokyo'")
                connection.execute("SET search_path = ''")
            with RagSpine.open(connection, grant_key=database.grant_key) as spine:
                assert python(spine, case) == expected
            assert not connection.closed
        return
    engine = create_engine(url)
    if kind == "engine":
        with RagSpine.open(engine, grant_key=database.grant_key) as spine:
            assert python(spine, case) == expected
    else:
        with engine.connect() as lent:
            if kind == "inside a transaction":
                lent.begin()
            with RagSpine.open(lent, grant_key=database.grant_key) as spine:
                assert python(spine, case) == expected
            left = lent.exec_driver_sql("SELECT current_setting('ragspine.grant', true)").scalar()
            assert left in (None, ""), "no grant stays on a connection that was lent"
    engine.dispose()


def test_twins_has_teeth(fresh_spine: RagSpine, fresh_database: Database, vector_schema: str) -> None:
    fresh_spine.create_library("twins", "guides").ingest(DOCUMENTS[:9])
    fresh_spine.create_library("twins", "other").ingest(DOCUMENTS[:3])
    case = {"query": "return"}
    assert python(fresh_spine, case) == sql(fresh_database, fresh_spine, case)
    plant_function(
        fresh_database,
        "search_hits_v1",
        ("lexical_weight / (60 +", "lexical_weight / (61 +"),
        vector_schema=vector_schema,
    )
    assert python(fresh_spine, case) != sql(fresh_database, fresh_spine, case)
