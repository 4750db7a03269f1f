"""All attacks, and how one is made on a world."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from psycopg import sql

from tests.access.attacks import (
    catalogue,
    functions,
    grants,
    ingesting,
    plans,
    probes,
    roles,
    server,
    sessions,
    settings,
    tables,
    temporary,
)
from tests.access.attacks.attack import Attack, by_name
from tests.access.attacks.wire import talk
from tests.access.attacks.worlds import World, shows_canary

FAMILIES = (
    tables,
    grants,
    roles,
    settings,
    functions,
    probes,
    plans,
    catalogue,
    server,
    sessions,
    temporary,
    ingesting,
)
ATTACKS = by_name(attack for family in FAMILIES for attack in family.ATTACKS)


def answer(attack: Attack, world: World, *, guess: str = "") -> str:
    """All that came back, without what differs anyway: the database's name and the masked parts."""
    words = {**world.words, "guess": guess}
    statements = attack.spelled(words)
    if attack.holding == "valid" and attack.login == "reader":
        statements.insert(0, f"SELECT set_config('ragspine.grant', '{words['valid']}', false) IS NULL")
    url = world.database.reader_url if attack.login == "reader" else world.database.ingest_url
    said = talk(url, statements).replace(world.database.name, "<database>")
    assert "SQLSTATE='42601'" not in said, f"{attack.name}: a statement is no SQL, and attacks nothing"
    for mask in attack.masks:
        said = mask.hide(said)
    return said


def assert_harmless(attack: Attack, pair: Iterable[World]) -> None:
    """The core: no hidden word comes back, and nothing that differs with what is hidden."""
    small, large = pair
    with _temporary(attack, small), _temporary(attack, large):
        for guess in [hidden for hidden, _ in attack.guesses] or [""]:
            told = _difference(attack, (small, guess), (large, guess))
            assert attack.left_open or not told, f"{attack.name}: it tells of what is hidden\n{told}"
        for world in (small, large):
            pairs = (_difference(attack, (world, hidden), (world, absent)) for hidden, absent in attack.guesses)
            found = [told for told in pairs if told]
            edges = len(attack.guesses) // 3 if attack.left_open == "Work" else 0
            assert attack.guess_left_open or len(found) <= edges, (
                f"{attack.name}: hidden is told from absent\n{found[-1]}"
            )


def _difference(attack: Attack, one: tuple[World, str], other: tuple[World, str]) -> str:
    """Where two answers differ, three times in a row.

    A cache that was just emptied, by whoever works beside, makes a difference once; what is hidden makes it always.
    """
    for _ in range(3):
        answers = [answer(attack, world, guess=guess) for world, guess in (one, other)]
        for said in answers:
            assert not shows_canary(said), f"{attack.name}: a hidden word comes back"
        if answers[0] == answers[1]:
            return ""
    lines = difflib.unified_diff(answers[0].splitlines(), answers[1].splitlines(), "one", "other", n=0, lineterm="")
    return "\n".join(line[:500] for line in list(lines)[:20])


@contextmanager
def _temporary(attack: Attack, world: World) -> Iterator[None]:
    """Where the attack wants it, everybody may make temporary tables in the database, as PostgreSQL has it."""
    if attack.temporary:
        _run(world, "GRANT TEMPORARY ON DATABASE {} TO PUBLIC")
    try:
        yield
    finally:
        if attack.temporary:
            _run(world, "REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC")


def _run(world: World, statement: LiteralString) -> None:
    with psycopg.connect(world.database.owner_url, autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(world.database.name)))
