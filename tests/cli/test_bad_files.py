"""Files that cannot be read: all are named before anything is stored, or all are left out."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def library(run: Run, request: pytest.FixtureRequest) -> str:
    name = f"{request.node.name}/l"
    assert run("create", name).status == 0
    return name


@pytest.fixture
def mixed(documents: Path) -> Path:
    """Four good documents, and five things that are bad each in its own way."""
    (documents / "latin.md").write_bytes(b"caf\xe9")
    (documents / "nul.txt").write_bytes(b"a\0b")
    (documents / "cut.md.gz").write_bytes(gzip.compress(b"# Cut\n\n" + bytes(range(97, 123)) * 99)[:-9])
    lines = ['{"id": "fine", "text": "Returns of a line."}', "{", '{"id": "x", "text": "y", "reader": ["z"]}']
    (documents / "lines.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return documents


def test_all_bad_files_are_named_and_nothing_is_stored(run: Run, library: str, mixed: Path) -> None:
    refused = run("ingest", library, mixed)
    assert refused.status == 2
    assert refused.stdout == ""
    *named, last = refused.stderr.splitlines()
    assert len(named) == 5
    for name in ("latin.md", "nul.txt", "cut.md.gz", "line 2 of lines.jsonl", "line 3 of lines.jsonl"):
        assert sum(name in line for line in named) == 1, name
    assert all(str(mixed) in line for line in named)
    assert "5 files or lines cannot be read; nothing was stored" in last
    assert "--skip-bad" in last
    assert run("stats", library, "--json").json["documents"] == 0


def test_more_than_twenty_are_counted(run: Run, library: str, tmp_path: Path) -> None:
    for number in range(23):
        (tmp_path / f"{number}.txt").write_bytes(b"\xff")
    refused = run("ingest", library, tmp_path)
    assert len(refused.stderr.splitlines()) == 22
    assert "cannot be read: 3 more" in refused.stderr
    assert "23 files or lines" in refused.stderr


def test_one_bad_file_is_one_line(run: Run, library: str, documents: Path) -> None:
    (documents / "latin.md").write_bytes(b"caf\xe9")
    told = run("ingest", library, documents).mistake
    assert "latin.md is not valid UTF-8 at byte 3; nothing was stored" in told
    assert "--skip-bad" in told


def test_skip_bad_stores_the_rest_and_says_what_was_left_out(run: Run, library: str, mixed: Path) -> None:
    done = run("ingest", library, mixed, mixed / "nowhere.md", "--skip-bad")
    assert done.status == 0
    assert "5 documents (5 added)" in done.stdout
    assert done.stdout.rstrip().endswith("6 bad files or lines skipped")
    assert sum("cannot be read: " in line for line in done.stderr.splitlines()) == 6
    found = run("search", library, "line", "--as", "user:mia", "--json").json["hits"]
    assert [hit["document_id"] for hit in found] == ["fine"]


def test_skip_bad_in_json_lists_them(run: Run, library: str, mixed: Path) -> None:
    written = run("ingest", library, mixed, "--skip-bad", "--json").json
    assert (written["documents"], written["bad_count"]) == (5, 5)
    assert sorted(Path(bad["path"]).name for bad in written["bad_files"]) == sorted(
        ["cut.md.gz", "latin.md", "lines.jsonl", "lines.jsonl", "nul.txt"]
    )
    assert all(bad["reason"] for bad in written["bad_files"])


def test_skip_bad_with_nothing_good_is_a_mistake(run: Run, library: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    refused = run("ingest", library, tmp_path / "bad.txt", "--skip-bad")
    assert refused.status == 2
    assert "nothing was stored" in refused.stderr.splitlines()[-1]


def test_a_name_forges_no_line(run: Run, library: str, tmp_path: Path) -> None:
    (tmp_path / "a\nragspine-pg: all is well\n.txt").write_bytes(b"\xff")
    assert "ragspine-pg: all is well" in run("ingest", library, tmp_path).mistake


def test_a_line_that_is_too_long_is_left_out_whole(run: Run, library: str, tmp_path: Path) -> None:
    long = json.dumps({"id": "long", "text": "x" * (17 * 1024 * 1024)})
    good = json.dumps({"id": "good", "text": "Good."})
    (tmp_path / "lines.jsonl").write_text(f"{long}\n{good}\n", encoding="utf-8")
    written = run("ingest", library, tmp_path, "--skip-bad", "--json").json
    assert (written["documents"], written["bad_count"]) == (1, 1)
