"""What a document says must not command the terminal."""

import json
import unicodedata
from pathlib import Path

import pytest

from ragspine_pg.cli.terminal import one_line, visible
from tests.cli.conftest import Run

_ATTACK = "red \x1b[31m title \x1b]0;owned\x07 c1 \x9b2J bell \x07 back \x08\x08 turn \u202edcba\u2066 del \x7f end"


def unsafe(text: str) -> list[str]:
    """Characters that a terminal obeys."""
    return [
        f"U+{ord(character):04X}"
        for character in text
        if (unicodedata.category(character) == "Cc" and character not in "\n\t")
        or character in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    ]


def test_control_characters_are_made_visible() -> None:
    assert unsafe(_ATTACK)
    assert unsafe(visible(_ATTACK)) == []
    assert visible("a\x1b[0m\tb\nc\r") == "a␛[0m\tb\nc␍"
    assert one_line("a\tb\nc") == "a b c"
    assert visible("日本語 é 👩‍👩‍👧") == "日本語 é 👩‍👩‍👧"


@pytest.mark.parametrize("where", ["id", "title", "text", "source_uri"])
def test_escape_sequences_of_documents_reach_no_terminal(run: Run, tmp_path: Path, where: str) -> None:
    library = f"escape-{where}/l"
    line = {"id": "d", "title": "found", "text": "found words", "source_uri": "https://x.example/"}
    line[where] = f"found {_ATTACK}"
    source = tmp_path / "attack.jsonl"
    source.write_text(json.dumps(line) + "\n", encoding="utf-8")
    outcomes = [
        run("create", library),
        run("ingest", library, source),
        run("search", library, "found", "--as", "x"),
        run("search", library, "found", "--as", "x", "--expand", "parent", "--explain"),
        run("explain", library, "found", "--document", line["id"], "--as", "x"),
        run("relabel", library, line["id"], "--readers", "@nobody"),
        run("delete", library, line["id"]),
        run("delete", library, line["id"]),
    ]
    assert [outcome.status for outcome in outcomes] == [0, 0, 0, 0, 0, 0, 0, 2]
    assert "red ␛[31m" in outcomes[2].stdout
    for outcome in outcomes:
        assert unsafe(outcome.stdout + outcome.stderr) == []


def test_escape_sequences_of_documents_reach_no_terminal_has_teeth(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragspine_pg.cli.passages.visible", lambda text: text)
    source = tmp_path / "attack.jsonl"
    source.write_text(json.dumps({"id": "d", "text": f"found {_ATTACK}"}) + "\n", encoding="utf-8")
    run("create", "teeth/l")
    run("ingest", "teeth/l", source)
    assert unsafe(run("search", "teeth/l", "found", "--as", "x").stdout)


def test_markup_of_documents_is_shown_as_it_is(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "markup.jsonl"
    source.write_text(
        json.dumps({"id": "d", "title": "[bold]t[/bold]", "text": "found [link=x]here[/] :smile:"}) + "\n",
        encoding="utf-8",
    )
    run("create", "markup/l")
    run("ingest", "markup/l", source)
    shown = run("search", "markup/l", "found", "--as", "x").stdout
    assert "[bold]t[/bold]" in shown
    assert "found [link=x]here[/] :smile:" in shown
