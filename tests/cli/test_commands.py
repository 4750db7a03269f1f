"""Every command does what it says, on a real database."""

import json
from pathlib import Path

import psycopg
import pytest

from ragspine_pg import Access, MetadataFilter, RagSpine
from ragspine_pg.contract.canonical import canonical_json
from tests.cli.conftest import Run, environment, invoke, process
from tests.fixtures.database import Database


@pytest.fixture
def handbook(run: Run, documents: Path, request: pytest.FixtureRequest) -> str:
    """A filled library of a tenant of the test's own."""
    name = f"{request.node.name}/handbook"
    profile = '{"chunker_options": {"size": 60}}'
    made = run("create", name, "--field", "year:number", "--chunker", "parent_child", "--profile", profile)
    assert made.status == 0, made
    done = run("ingest", name, documents)
    assert done.status == 0, done
    assert "4 documents (4 added)" in done.stdout
    return name


def test_search_shows_rank_score_title_id_locator_and_text(run: Run, handbook: str) -> None:
    shown = run("search", handbook, "staff guide returns desk", "--as", "group:staff", "-k", "1")
    assert shown.status == 0
    first, place, uri, locator, text, *_ = shown.stdout.splitlines()
    assert first.startswith("1  Desk  ")
    assert float(first.split()[-1]) > 0
    assert place.strip().startswith(f"{handbook}/staff · v1 · INTERNAL")
    assert uri.strip().startswith("file:///")
    assert locator.strip().startswith("char=0,26;sha256=")
    assert text.strip() == "Returns desk: staff guide."
    assert "Returns nobody reads" not in shown.stdout


def test_search_without_a_principal_finds_nothing_and_says_why(run: Run, handbook: str) -> None:
    shown = run("search", handbook, "returns", "--json")
    assert shown.status == 0
    assert shown.json["hits"] == []
    assert shown.json["reason"] == "nothing_readable"
    assert "--as PRINCIPAL" in shown.stderr


def test_search_json_is_the_canonical_object_and_usage(run: Run, handbook: str, database: Database) -> None:
    tenant = handbook.partition("/")[0]
    where = '{"field": "year", "op": "gte", "value": 2024}'
    shown = run("search", handbook, "returns", "--as", "user:mia", "--filter", where, "-k", "3", "--json")
    written = shown.json
    assert set(written.pop("usage")) == {"items", "tokens", "calls", "seconds"}
    access = Access(tenant, {"user:mia"})
    with RagSpine.open(database.reader_url, grant_key=database.grant_key) as spine:
        result = spine.search(
            "returns", access=access, libraries="handbook", metadata_filter=MetadataFilter.from_json(where), k=3
        )
        grant = spine.grant(access)
    assert [hit.document_id for hit in result.hits] == ["2024"]
    assert canonical_json(written) == result.to_json()
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [grant])
        query = "SELECT ragspine.search_json(%s, k => 3, libraries => ARRAY['handbook'], filter => %s::jsonb)"
        row = connection.execute(query, ["returns", where]).fetchone()
    assert row is not None
    in_sql = row[0] if isinstance(row[0], str) else json.dumps(row[0])
    assert json.loads(in_sql) == written


def test_search_expands_to_the_parent_window(run: Run, handbook: str) -> None:
    plain = run("search", handbook, "refused after the deadline", "--as", "x", "-k", "1", "--json").json["hits"][0]
    expanded = run(
        "search", handbook, "refused after the deadline", "--as", "x", "-k", "1", "--expand", "parent", "--json"
    ).json
    window = expanded["hits"][0]
    assert plain["window_text"] == ""
    assert window["text"] == plain["text"]
    assert plain["text"] in window["window_text"]
    shown = run("search", handbook, "refused after the deadline", "--as", "x", "-k", "1", "--expand", "parent")
    assert "window char=" in shown.stdout


def test_search_explains_what_it_looked_for(run: Run, handbook: str) -> None:
    shown = run("search", handbook, "late returns", "--as", "x", "--explain")
    assert "readable chunks" in shown.stdout
    assert "return " in shown.stdout
    trace = run("search", handbook, "late returns", "--as", "x", "--explain", "--json").json["trace"]
    assert {term["lexeme"] for term in trace["libraries"]["handbook"]["terms"]} == {"late", "return"}


def test_search_of_a_tenant_looks_in_all_its_libraries(run: Run, handbook: str) -> None:
    tenant = handbook.partition("/")[0]
    run("create", f"{tenant}/empty")
    assert run("search", tenant, "returns", "--as", "x", "--json").json["index_versions"] == {"handbook": 1}
    both = run("search", f"{tenant}/handbook,nowhere", "returns", "--as", "x", "--json").json
    assert both["index_versions"] == {"handbook": 1}


def test_explain_tells_the_caller_little_and_the_administrator_all(run: Run, handbook: str) -> None:
    told = {}
    for document in ("secret", "staff", "nothing", "2024"):
        arguments = ("explain", handbook, "returns", "--document", document, "--as", "user:x", "--json")
        told[document] = run(*arguments).json
        alone = run(*arguments, "--caller-only").json
        assert alone.pop("administrator") is None
        assert alone == {key: value for key, value in told[document].items() if key != "administrator"}
    verdicts = {name: (found["verdict"], found["administrator"]["verdict"]) for name, found in told.items()}
    assert verdicts == {
        "secret": ("not_readable", "restricted"),
        "staff": ("not_readable", "not_readable"),
        "nothing": ("not_readable", "unknown_document"),
        "2024": ("hit", "hit"),
    }
    hidden = {json.dumps({**told[name], "document_id": "", "administrator": ""}) for name in ("secret", "nothing")}
    assert len(hidden) == 1
    shown = run("explain", handbook, "returns", "--document", "secret", "--as", "user:x")
    assert "to the administrator: restricted" in shown.stdout


def test_a_line_of_jsonl_goes_before_the_options(run: Run, handbook: str, documents: Path) -> None:
    options = ("--readers", "group:a", "--sensitivity", "PUBLIC")
    done = run("ingest", handbook, documents, *options, "--json").json
    assert (done["relabelled"], len(done["warnings"])) == (4, 1)
    classes = {
        (item["sensitivity"], tuple(item["readers"])): item["documents"]
        for item in run("stats", handbook, "--json").json["classes"]
        if item["documents"]
    }
    assert classes == {
        ("PUBLIC", ("group:a",)): 2,  # the file, and the line that says nothing
        ("PUBLIC", ("group:staff",)): 1,  # each of the two by itself
        ("RESTRICTED", ("group:a",)): 1,
    }
    assert run("ingest", handbook, documents, "--readers", "@members", "--json").json["relabelled"] == 3
    assert run("search", handbook, "desk guide", "--as", "user:x", "--json").json["hits"] == []


def test_what_an_ingest_opens_is_said(run: Run, handbook: str, documents: Path) -> None:
    assert "warning" not in run("ingest", handbook, documents, "--readers", "@nobody").stderr
    told = run("ingest", handbook, documents, "--readers", "@members")
    assert "warning: 2 stored documents are now open to readers" in told.stderr


def test_one_option_asks_for_several_principals_as_readers_are_named(run: Run, handbook: str) -> None:
    found = {
        who: {hit["document_id"] for hit in run("search", handbook, "returns desk", "--as", who, "--json").json["hits"]}
        for who in ("user:ann,group:staff", "user:ann,group:hr")
    }
    assert ["staff" in ids for ids in found.values()] == [True, False]


def test_readers_of_an_ingest_are_those_of_the_files(run: Run, handbook: str, documents: Path) -> None:
    done = run("ingest", handbook, documents / "returns.md", "--readers", "group:a,group:b", "--json").json
    assert (done["documents"], done["relabelled"]) == (1, 1)
    found = [
        run("search", handbook, "delivery note states", "-k", "1", "--as", who, "--json").json["hits"]
        for who in ("group:b", "x")
    ]
    assert [len(hits) for hits in found] == [1, 0]
    assert run("ingest", handbook, documents / "returns.md", "--readers", "@nobody").status == 0
    assert run("search", handbook, "delivery note states", "--as", "group:b", "--json").json["hits"] == []
    assert run("ingest", handbook, documents / "returns.md", "--readers", "@members").status == 0
    assert len(run("search", handbook, "note states", "-k", "1", "--as", "x", "--json").json["hits"]) == 1


def test_relabel_takes_effect_at_once(run: Run, handbook: str) -> None:
    def seen(who: str) -> int:
        return len(run("search", handbook, "2024", "--as", who, "--json").json["hits"])

    assert seen("x") == 1
    assert "changed" in run("relabel", handbook, "2024", "--readers", "group:staff").stdout
    assert (seen("x"), seen("group:staff")) == (0, 1)
    assert run("relabel", handbook, "2024", "--readers", "@members", "--json").json["changed"] is True
    assert "it was so already" in run("relabel", handbook, "2024", "--readers", "@members").stdout
    assert run("relabel", handbook, "2024", "--sensitivity", "RESTRICTED").status == 0
    assert (seen("x"), seen("group:staff")) == (0, 0)


def test_delete_removes_and_names_what_is_not_there(run: Run, handbook: str) -> None:
    assert run("delete", handbook, "2024").stdout == "deleted 2024\n"
    assert run("search", handbook, "2024", "--as", "x", "--json").json["hits"] == []
    assert "no document 2024" in run("delete", handbook, "2024").mistake
    assert run("delete", handbook, "2024", "staff", "--missing-ok", "--json").json == {
        "deleted": ["staff"],
        "missing": ["2024"],
    }


def test_stats_versions_and_optimize_report(run: Run, handbook: str) -> None:
    numbers = run("stats", handbook, "--json").json
    assert numbers["documents"] == 4
    assert {(item["sensitivity"], tuple(item["readers"] or ())) for item in numbers["classes"]} == {
        ("INTERNAL", ()),
        ("INTERNAL", ("group:staff",)),
        ("RESTRICTED", ()),
    }
    assert "group:staff" in run("stats", handbook).stdout
    (version,) = run("versions", handbook, "--json").json["versions"]
    assert (version["version"], version["state"]) == (1, "published")
    assert "published" in run("versions", handbook).stdout
    before = run("search", handbook, "returns", "--as", "x", "--json").json["hits"]
    assert set(run("optimize", handbook, "--json").json) == {
        "rows_before",
        "rows_after",
        "sealed_chunks",
        "vector_index",
        "no_vector_index",
    }
    assert "folded into" in run("optimize", handbook).stdout
    assert run("search", handbook, "returns", "--as", "x", "--json").json["hits"] == before


def test_create_again_is_a_mistake_unless_it_may_exist(run: Run, handbook: str) -> None:
    assert f"library {handbook} exists" in run("create", handbook).mistake
    alike = ("create", handbook, "--field", "year:number", "--chunker", "parent_child", "--exist-ok", "--profile")
    assert run(*alike, '{"chunker_options": {"size": 60}}', "--json").json["state"] == "published"
    assert run(*alike, '{"chunker_options": {"size": 60}, "k1": 2}').status == 2


def test_grant_prints_a_grant_that_the_database_takes(run: Run, handbook: str, database: Database) -> None:
    tenant = handbook.partition("/")[0]
    printed = run("grant", tenant, "--as", "group:staff", "--ttl", "30")
    assert printed.status == 0
    assert printed.stdout.startswith("rg1.")
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [printed.stdout.strip()])
        rows = connection.execute("SELECT document_id FROM ragspine.search('staff guide')").fetchall()
    assert rows[0] == ("staff",)


def test_migrate_shows_the_new_key_once(empty_url: str) -> None:
    first = invoke("migrate", env={"RAGSPINE_OWNER_URL": empty_url})
    assert first.status == 0, first
    (key,) = [line for line in first.stdout.splitlines() if line.startswith("RAGSPINE_GRANT_KEY=")]
    assert len(key.partition("=")[2]) == 8 + 1 + 64
    again = invoke("migrate", "--owner-database", empty_url)
    assert again.status == 0
    assert "already" in again.stdout
    assert "RAGSPINE_GRANT_KEY" not in again.stdout


def test_sql_prints_the_script_and_touches_no_database() -> None:
    printed = invoke("sql", "base:head", env={"RAGSPINE_HOME": "/nonexistent"})
    assert printed.status == 0
    assert "CREATE TABLE ragspine.document" in printed.stdout
    assert printed.stdout == invoke("sql").stdout
    assert "no revision" in invoke("sql", "rpg9999:head").mistake


def test_evaluate_measures_a_dataset(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder.mkdir()
    texts = {"d1": "red apples grow", "d2": "green pears grow", "d3": "blue plums rot"}
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in texts.items()), encoding="utf-8"
    )
    queries = {"q1": "apples", "q2": "plums"}
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in queries.items()), encoding="utf-8"
    )
    (folder / "qrels.tsv").write_text("q1\td1\t1\nq2\td1\t1\n", encoding="utf-8")
    report = tmp_path / "report.html"
    arguments = ("evaluate", folder, "--mode", "economy", "--chunker", "whole")
    found = run(*arguments, "--json", "--report", report).json
    assert found["queries"] == 2
    assert found["metrics"]["RR"] == 0.5  # the first is found, the second never
    assert set(found) == {"dataset", "dataset_version", "mode", "queries", "metrics", "latency_ms", "usage"}
    assert set(found["metrics"]) == {"nDCG@10", "P@10", "R@10", "R@100", "RR"}
    assert "<html" in report.read_text(encoding="utf-8")
    shown = run(*arguments)
    assert "RR 0.5000" in " ".join(shown.stdout.split())


def test_the_same_search_in_a_process_of_its_own_gives_the_same_bytes(
    run: Run, handbook: str, database: Database
) -> None:
    arguments = ("search", handbook, "late returns", "--as", "x", "--json")
    here = run(*arguments).json
    started = process(*arguments, env=environment(database))
    out, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (0, b"")
    there = json.loads(out)
    del here["usage"], there["usage"]
    assert canonical_json(here) == canonical_json(there)
    assert here["hits"] != []


def test_the_demo_gives_its_tour(database: Database) -> None:
    shown = invoke("demo", env=environment(database))
    assert shown.status == 0, shown
    assert "checks held" in shown.stdout
