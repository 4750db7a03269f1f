"""On the command line a message speaks of options, whatever Python calls them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import ragspine_pg
from ragspine_pg import errors
from ragspine_pg.cli.commands import app
from ragspine_pg.cli.spelling import spelled
from tests.cli.conftest import Run

PACKAGE = Path(ragspine_pg.__file__).parent
PYTHON = re.compile(r"""\w+=(["']\w|True|False)|\bopen\(|\b[A-Z]\w+\(""")
# Of values that no command takes from its user.
OF_PYTHON = ("access is an Access(", "budget is a Budget", "to_json(cases=True)")
OPTIONS = {
    str(found.name): found.opts[0]
    for command in typer.main.get_group(app).commands.values()  # type: ignore[attr-defined]
    for found in command.params
    if found.opts[0].startswith("-")
}


def messages() -> Iterator[str]:
    """The texts of every error that the package raises outside its command line and its SQL."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.name in ("cli", "commands", "demo") or path.name == "testing.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            made = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Return) else None
            if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name) or not made.args:
                continue
            if issubclass(getattr(errors, made.func.id, object), errors.RagSpineError):
                parts = (part for part in ast.walk(made.args[0]) if isinstance(part, ast.Constant))
                yield "".join(str(part.value) for part in parts)


def test_no_message_speaks_python_to_the_command_line() -> None:
    said = list(messages())
    assert len(said) > 200
    spoken = [message for message in said if PYTHON.search(message) and not any(own in message for own in OF_PYTHON)]
    assert spoken, "else nothing is looked at"
    assert [told for told in (spelled(message, OPTIONS) for message in spoken) if PYTHON.search(told)] == []


@pytest.mark.parametrize(
    ("message", "argument", "told"),
    [
        (
            "document 'a' comes twice; on_duplicate=\"last\" keeps it",
            None,
            "document 'a' comes twice; --on-duplicate last keeps it",
        ),
        ("the library exists; exist_ok=True accepts it", None, "the library exists; --exist-ok accepts it"),
        ("k is a whole number", "k", "-k is a whole number"),
        ("k is a whole number", None, "k is a whole number"),
        ("expand is None or 'parent'", "expand", "--expand is parent"),
        ("mode min_score acme/min_score 'min_score'", "text", "mode --min-score acme/min_score 'min_score'"),
        ("give an https base_url, or remote=False", None, 'give an https base_url, or "remote": false'),
        ("set RAGSPINE_DATABASE_URL, or open(URL)", None, "set RAGSPINE_DATABASE_URL, or give --database URL"),
    ],
)
def test_an_argument_is_written_as_its_option(message: str, argument: str | None, told: str) -> None:
    assert spelled(message, OPTIONS, argument=argument) == told


def test_refusals_are_in_the_commands_own_words(run: Run, documents: Path) -> None:
    assert "--exist-ok accepts" in (run("create", "spelled/l"), run("create", "spelled/l"))[1].mistake
    (documents / "again.jsonl").write_text('{"id": "staff", "text": "again"}\n', encoding="utf-8")
    assert "--on-duplicate last keeps the last" in run("ingest", "spelled/l", documents).mistake
    assert run("ingest", "spelled/l", documents, "--on-duplicate", "last").status == 0
    ask = ("search", "spelled/l", "returns", "--as", "group:staff")
    assert ": -k is a whole number" in run(*ask, "-k", "0").mistake
    assert ": --mode is one of" in run(*ask, "--mode", "best").mistake
    assert ": --expand is parent" in run(*ask, "--expand", "child").mistake
    assert ": --after is not a cursor" in run(*ask, "--after", "x").mistake
    told = run(*ask, RAGSPINE_GRANT_KEY="").mistake
    assert "set RAGSPINE_GRANT_KEY to what" in told
    assert "--profile k1 is a number" in run("create", "spelled/n", "--profile", '{"k1": "x"}').mistake
