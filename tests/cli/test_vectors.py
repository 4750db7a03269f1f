"""The command line with vectors: libraries that have some, modes, fusion, and going on."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from ragspine_pg import Access, RagSpine
from ragspine_pg.cli.passages import show_result
from ragspine_pg.contract.canonical import canonical_json
from tests.cli.conftest import Run
from tests.fixtures.database import Database


@pytest.fixture
def library(run: Run, documents: Path, request: pytest.FixtureRequest) -> str:
    """A filled library with vectors, of a tenant of the test's own."""
    name = f"{request.node.name}/library"
    made = run("create", name, "--embedding", "hashing", "--chunker", "whole")
    assert made.status == 0, made
    assert "vectors by hashing" in made.stdout
    assert made.stderr == ""
    assert run("ingest", name, documents).status == 0
    return name


def test_create_warns_of_vectors_that_no_index_takes(run: Run) -> None:
    name = "test_create_warns/library"
    profile = '{"embedding_options": {"dimensions": 4096}}'
    made = run("create", name, "--embedding", "hashing", "--profile", profile, "--json")
    assert made.status == 0
    assert made.json["profile"]["embedding"]["space"]["dimensions"] == 4096
    assert "4,096 dimensions have no index" in made.stderr
    assert made.stderr.count("\n") == 1
    assert "no vectors, version 1" in run("create", "test_create_warns/plain").stdout


def test_create_with_an_unknown_model_names_the_known_ones(run: Run) -> None:
    assert "local" in run("create", "test_create_unknown/library", "--embedding", "nonesuch").mistake


@pytest.mark.parametrize(
    ("options", "mode", "legs"),
    [
        ((), "hybrid", {"lexical", "vector"}),
        (("--mode", "economy"), "economy", {"lexical"}),
        (("--mode", "vector"), "vector", {"vector"}),
        (("--mode", "hybrid"), "hybrid", {"lexical", "vector"}),
        (("--fusion", "convex"), "hybrid", {"lexical", "vector"}),
    ],
)
def test_search_runs_and_reports_the_mode(
    run: Run, library: str, options: tuple[str, ...], mode: str, legs: set[str]
) -> None:
    arguments = ("search", library, "returns desk guide", "--as", "group:staff", *options)
    found = run(*arguments, "--json").json
    assert found["mode"] == mode
    assert set().union(*(hit["ranks"] for hit in found["hits"])) == legs
    shown = run(*arguments).stdout
    assert f"· {mode} · library v1 ·" in shown
    assert ("(lexical 1, vector 1)" in shown) == (mode == "hybrid")


def test_search_refuses_what_cannot_run(run: Run, library: str, documents: Path) -> None:
    ask = ("search", library, "returns", "--as", "x")
    assert "one of auto, economy, vector, hybrid" in run(*ask, "--mode", "semantic").mistake
    assert "--fusion takes 'rrf', 'convex', or a JSON object of" in run(*ask, "--fusion", "best").mistake
    assert "fusion's method is one of rrf, convex" in run(*ask, "--fusion", '{"method": "best"}').mistake
    told = run(*ask, "--min-score", "1").mistake
    assert told.startswith("ragspine-pg: --min-score is of one leg")
    assert run(*ask, "--fusion", told.partition("--fusion '")[2].rstrip("'\n")).status == 0
    assert "weights" in run(*ask, "--weights", '{"words": 1}').mistake
    assert "--weights takes a JSON object" in run(*ask, "--weights", "vector=2").mistake
    assert "not a cursor" in run(*ask, "--after", "nonsense").mistake
    plain = f"{library.partition('/')[0]}/plain"
    run("create", plain)
    run("ingest", plain, documents)
    refused = run("search", plain, "returns", "--as", "x", "--mode", "vector").mistake
    assert "embedding space" in refused


def test_weights_decide_between_the_legs(run: Run, library: str) -> None:
    ask = ("search", library, "late returns in 2024", "--as", "x", "--json")
    alone = {mode: run(*ask, "--mode", mode).json["hits"] for mode in ("economy", "vector")}
    for leg, mode in (("vector", "economy"), ("lexical", "vector")):
        weighed = run(*ask, "--mode", "hybrid", "--weights", json.dumps({leg: 0})).json["hits"]
        expected = [hit["document_id"] for hit in alone[mode]]
        assert [hit["document_id"] for hit in weighed][: len(expected)] == expected


def test_pages_follow_each_other_without_repeats_or_gaps(run: Run, library: str) -> None:
    ask = ("search", library, "returns", "--as", "group:staff", "--json")
    whole = [hit["chunk_id"] for hit in run(*ask, "-k", "3").json["hits"]]
    found, after = [], None
    for rank in (1, 2, 3):
        page = run(*ask, "-k", "1", *(() if after is None else ("--after", after))).json
        assert [hit["rank"] for hit in page["hits"]] == [rank]
        found += [hit["chunk_id"] for hit in page["hits"]]
        after = page["cursor"]
    assert found == whole
    last = run(*ask, "-k", "5", "--after", after).json
    assert (last["hits"], last["reason"], last["cursor"]) == ([], "fewer_matches", None)


def test_the_cursor_of_json_is_that_of_python(run: Run, library: str, database: Database) -> None:
    written = run("search", library, "returns", "--as", "x", "-k", "1", "--json").json
    del written["usage"]
    with RagSpine.open(database.reader_url, grant_key=database.grant_key) as spine:
        access = Access(library.partition("/")[0], {"x"})
        result = spine.search("returns", access=access, libraries="library", k=1)
    assert canonical_json(written) == result.to_json()
    assert written["cursor"] == result.cursor is not None


@pytest.mark.parametrize("terminal", [True, False])
def test_how_to_go_on_is_said_on_a_terminal_alone(run: Run, library: str, database: Database, terminal: bool) -> None:
    with RagSpine.open(database.reader_url, grant_key=database.grant_key) as spine:
        access = Access(library.partition("/")[0], {"x"})
        result = spine.search("returns", access=access, libraries="library", k=1)
        rest = spine.search("returns", access=access, libraries="library", after=result.cursor)
    for shown, goes_on in ((result, True), (rest, False)):
        written = io.StringIO()
        show_result(Console(file=written, force_terminal=terminal, color_system=None, width=80), shown)
        assert (f"--after {shown.cursor}\n" in written.getvalue()) == (terminal and goes_on)
    assert "--after" not in run("search", library, "returns", "--as", "x", "-k", "1").stdout


def test_explain_ranks_by_the_mode(run: Run, library: str) -> None:
    ask = ("explain", library, "nothing in common", "--document", "2024", "--as", "x", "--json")
    assert run(*ask, "--mode", "economy").json["verdict"] == "no_query_term"
    assert run(*ask, "--mode", "vector").json["verdict"] == "hit"
