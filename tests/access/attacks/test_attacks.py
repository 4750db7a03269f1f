"""A reader's SQL connection in an attacker's hands gives it no hidden row, no hidden word, and no sign of either."""

import re
from pathlib import Path

import pytest

from tests.access.attacks import book, worlds
from tests.access.attacks.attack import Attack, by_name
from tests.access.attacks.conftest import Pair

GUIDE = Path(__file__).parents[3] / "docs" / "security.md"


@pytest.mark.parametrize("name", book.ATTACKS)
def test_attack_is_harmless(pair: Pair, name: str) -> None:
    book.assert_harmless(book.ATTACKS[name], pair)


def test_there_are_many_attacks_of_every_family() -> None:
    assert len(book.ATTACKS) >= 60
    for family in book.FAMILIES:
        assert family.ATTACKS, family.__name__
    with pytest.raises(ValueError, match="twice"):
        by_name([Attack("twice", "", ""), Attack("twice", "", "")])


def test_an_attack_that_is_no_sql_is_refused(pair: Pair) -> None:
    with pytest.raises(AssertionError, match="broken: a statement is no SQL"):
        book.answer(Attack("broken", "", ("SELECT 1", "SELECT 1,")), pair.small)


def test_the_attacker_reads_what_is_its_own(pair: Pair) -> None:
    """Else nothing could come back at all."""
    own = Attack("own", "", "SELECT document_id, text FROM ragspine.search('return an order', 50) ORDER BY 1")
    for world in pair:
        said = book.answer(own, world)
        for document in ("open", "staff", "books"):
            assert f"\n{document} | " in said


def test_what_comes_back_is_searched_for_the_canary(pair: Pair) -> None:
    """The same statements, as who may read the hidden: each way in which a word can come back is noticed."""
    word = f"{worlds.CANARY}arite"
    ways = {
        "rows": "SELECT text FROM ragspine.search('return an order')",
        "in capitals": "SELECT upper(text) FROM ragspine.search('return an order')",
        "in hex": "SELECT convert_to(text, 'UTF8') FROM ragspine.search('return an order')",
        "in base64": "SELECT encode(convert_to(text, 'UTF8'), 'base64') FROM ragspine.search('return an order')",
        "backwards": "SELECT reverse(text) FROM ragspine.search('return an order')",
        "an error": "SELECT text::integer FROM ragspine.search('return an order')",
        "a notice": "DO $$ BEGIN RAISE NOTICE '%', (SELECT text FROM ragspine.search('return an order') LIMIT 1);"
        " END $$",
        "a detail": "DO $$ BEGIN RAISE NOTICE 'x' USING DETAIL = (SELECT text FROM ragspine.search('return') LIMIT"
        " 1); END $$",
        "a copy": "COPY (SELECT text FROM ragspine.search('return an order')) TO STDOUT",
        "a name": f'SELECT 1 AS "{word}"',
        "a plan": f"SET client_min_messages = log; SET debug_print_plan = on; SELECT '{word}'::text || now()",
        "a notification": f"LISTEN c; NOTIFY c, '{word}'",
    }
    for way, statement in ways.items():
        taken = f"SELECT set_config('ragspine.grant', '{pair.small.words['foreign']}', false) IS NULL"
        said = book.answer(Attack(way, "", (taken, statement), holding="none"), pair.small)
        assert worlds.shows_canary(said), way
    assert not worlds.shows_canary("an answer with nothing in it")


def test_what_is_left_open_is_named_in_the_guide_with_its_mitigation() -> None:
    named = set(re.findall(r"^\| \*\*(\w+)\*\* \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE))
    used = {name for attack in book.ATTACKS.values() for name in (attack.left_open, attack.guess_left_open) if name}
    assert used == named
