"""No text that is typed on the command line becomes a part of a statement, whichever argument or option it comes by."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ragspine_pg.cli.commands import app
from ragspine_pg.connect.embedded import EmbeddedServer
from tests.access import world
from tests.access.injection.fuzz import KEPT, SCHEMA, assert_no_statement_holds_it
from tests.access.injection.members import base
from tests.access.injection.payloads import payloads
from tests.cli.conftest import environment, invoke
from tests.fixtures.database import Database, clone
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import open_spine

pytestmark = not_behind

AS = ["--as", "user:eve"]
WORKING: dict[str, tuple[list[str], list[str]]] = {
    "create": ([], ["acme/new"]),
    "delete": (["--missing-ok"], ["acme/notes", "absent"]),
    "demo": ([], []),
    "doctor": ([], []),
    "drop": (["--yes"], ["acme/absent"]),
    "evaluate": ([], ["absent"]),
    "explain": ([*AS, "--document", "open"], ["acme/notes", "return"]),
    "grant": (AS, ["acme"]),
    "ingest": ([], ["acme/notes", "note.txt"]),
    "keys": ([], []),
    "libraries": ([], ["acme"]),
    "migrate": ([], []),
    "optimize": ([], ["acme/notes"]),
    "publish": ([], ["acme/notes", "1"]),
    "rebuild": ([], ["acme/empty"]),
    "relabel": ([], ["acme/notes", "open"]),
    "revoke": ([], ["rg1.0.0.e30.0"]),
    "rollback": ([], ["acme/notes"]),
    "search": (AS, ["acme", "return"]),
    "sql": ([], []),
    "stats": ([], ["acme/notes"]),
    "versions": ([], ["acme/notes"]),
}
"""Each command's options and arguments; it works with them, or ends at the last of them."""

CONNECTIONS = {"database", "ingest_database", "owner_database"}
"""Options that say where to connect."""

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
TYPED = [
    (name, parameter.name)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if parameter.name not in CONNECTIONS and not getattr(parameter, "is_flag", False)
]


@pytest.fixture(scope="module")
def stocked(server: EmbeddedServer, template: str) -> Iterator[Database]:
    with clone(server, template) as database:
        with open_spine(database) as spine:
            base(spine)
        yield database


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of each statement that any cursor is given."""
    texts: list[str] = []

    def noted(method: str) -> None:
        original = getattr(psycopg.Cursor, method)

        def note(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
            texts.append(query.as_string(cursor) if hasattr(query, "as_string") else os.fsdecode(query))
            return original(cursor, query, *arguments, **options)

        monkeypatch.setattr(psycopg.Cursor, method, note)

    for method in ("execute", "executemany", "copy"):
        noted(method)
    return texts


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "note.txt").write_text("a note", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def spelled(name: str, parameter: str, payload: str) -> list[list[str]]:
    """The command lines that carry ``payload`` in that place, by itself and behind a tenant's name."""
    options, arguments = WORKING[name]
    found = next(one for one in COMMANDS[name].params if one.name == parameter)
    if found.param_type_name == "option":
        return [[name, *options, f"{found.opts[-1]}={payload}", "--", *arguments]]
    place = [one.name for one in COMMANDS[name].params if one.param_type_name == "argument"].index(parameter)
    return [
        [name, *options, "--", *arguments[:place], text, *arguments[place + 1 :]]
        for text in (payload, f"acme/{payload}")
    ]


def _remains(database: Database) -> Sequence[Any]:
    with psycopg.connect(database.superuser_url) as connection:
        return [connection.execute(statement).fetchone() for statement in (KEPT, SCHEMA)]  # type: ignore[call-overload]


def test_every_command_has_its_case() -> None:
    assert set(WORKING) == set(COMMANDS)


@pytest.mark.parametrize(("name", "parameter"), TYPED)
def test_no_statement_holds_what_is_typed(stocked: Database, sent: list[str], name: str, parameter: str) -> None:
    check(stocked, sent, name, parameter, examples=3)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "parameter"), TYPED)
def test_no_statement_holds_anything_typed(stocked: Database, sent: list[str], name: str, parameter: str) -> None:
    check(stocked, sent, name, parameter, examples=50)


def check(stocked: Database, sent: list[str], name: str, parameter: str, examples: int) -> None:
    before = _remains(stocked)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def type_it(data: st.DataObject) -> None:
        payload = data.draw(payloads.filter(lambda text: "\0" not in text), label="payload")  # no argv holds one
        for line in spelled(name, parameter, payload):
            sent.clear()
            done = invoke(*line, env=environment(stocked))
            assert done.status in {0, 1, 2}
            assert_no_statement_holds_it(sent)
            assert world.CANARY not in done.stdout + done.stderr

    type_it()
    assert _remains(stocked) == before


def test_what_is_typed_in_a_statement_has_teeth(
    stocked: Database, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(stocked, sent, "search", "query", examples=3)
    assert sent, "a search sends something"
    noted = psycopg.Cursor.execute

    def careless(cursor: Any, query: Any, params: Any = None, **options: Any) -> Any:
        if params and "query" in params:
            query = os.fsdecode(query).replace("%(query)s", "'" + params["query"].replace("%", "%%") + "'")
        return noted(cursor, query, params, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", careless)
    with pytest.raises(AssertionError):
        check(stocked, sent, "search", "query", examples=10)
