"""``+fold``: accents and diacritics are folded before stemming, on both sides; stop words stay stop words."""

import unicodedata
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fixtures.database import Database
from tests.fixtures.spine import Plant


@pytest.fixture(scope="module")
def reader(database: Database) -> Any:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        yield connection


def analyze(connection: psycopg.Connection[Any], text: str, analyzer: str) -> dict[str, int]:
    return dict(connection.execute("SELECT * FROM ragspine.analyze(%s, %s)", [text, analyzer]).fetchall())


def fold(connection: psycopg.Connection[Any], text: str) -> str:
    [(folded,)] = connection.execute("SELECT ragspine.fold_accents_v1(normalize(%s, NFKC))", [text]).fetchall()
    return str(folded)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("café CAFÉ cafe\u0301", "cafe CAFE cafe"),
        ("Straße GROẞ", "Strasse GROSS"),
        ("Łódź łódź", "Lodz lodz"),
        ("ø Ø æ Æ œ Œ đ Đ ð Ð þ Þ ı ħ ŋ ŧ", "o O ae AE oe OE d D d D th TH i h n t"),
        ("İstanbul", "Istanbul"),
        ("Việt Nam, phở, đường", "Viet Nam, pho, duong"),
        ("Ångström naïve Čeština Dvořák żółć ñandú ção", "Angstrom naive Cestina Dvorak zolc nandu cao"),
        ("Ἀθῆναι Αθήνα λόγος", "Αθηναι Αθηνα λογοσ"),
        ("ёлка мой Йод їжак Ўзбек", "елка мой Йод іжак Ўзбек"),
        ("s\u0323\u0307 q\u0303 и\u0323\u0306 и\u0306\u0301", "s q и й"),
        ("ﬁ Ǆ ﾊﾞ", "fi DZ バ"),
    ],
)
def test_what_folding_makes(reader: Any, text: str, folded: str) -> None:
    assert fold(reader, text) == folded


@pytest.mark.parametrize(
    "text",
    [
        "हिन्दी किताब क़लम",  # vowel signs, virama, nukta
        "バグ がぎぐ ヴ",  # dakuten
        "مُحَمَّد قرآن",  # harakat, madda
        "שָׁלוֹם",  # points
        "ภาษาไทย ที่นี่",  # tones
        "தமிழ் বাংলা ਪੰਜਾਬੀ",
        "한국어 값",
        "plain ASCII, “quotes” – and dashes",
    ],
)
def test_what_other_scripts_write_above_and_below_letters_stays(reader: Any, text: str) -> None:
    assert fold(reader, text) == unicodedata.normalize("NFKC", text)


LETTERS = st.text(
    st.sampled_from(
        "aeiouyAEIOUYcCnNsSzZdDlLhHoOиИуУеЕαωΣςøłđßæœþıİ\u0300\u0301\u0306\u0308\u0323\u0327\u0328がハ゛\u3099한हि ّ "
    ),
    max_size=30,
)


@settings(max_examples=200, deadline=None)
@given(text=LETTERS | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60))
def test_folding_is_idempotent_and_composed(reader: Any, text: str) -> None:
    once = fold(reader, text)
    assert fold(reader, once) == once


LATIN = st.text(
    st.characters(min_codepoint=0x41, max_codepoint=0x17F, categories=["Lu", "Ll"], exclude_characters="ªº"), min_size=1
)
FOLDING = ["simple+fold", "english+fold", "french+fold", "german+fold", "italian+fold", "spanish+fold", "swedish+fold",
           "hungarian+fold", "multilingual", "cjk+fold"]  # fmt: skip


def assert_equal_without_accents(connection: psycopg.Connection[Any], text: str, analyzer: str) -> None:
    """The core: a text and its folded form have the same lexemes."""
    assert analyze(connection, fold(connection, text), analyzer) == analyze(connection, text, analyzer)


@settings(max_examples=100, deadline=None)
@given(words=st.lists(LATIN, max_size=8), analyzer=st.sampled_from(FOLDING))
def test_a_text_has_the_same_lexemes_with_and_without_accents(reader: Any, words: list[str], analyzer: str) -> None:
    assert_equal_without_accents(reader, " ".join(words), analyzer)


def test_equal_without_accents_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("analyze_text_v1", ("normal := ragspine.fold_accents_v1(normal);", "NULL;"))
    with psycopg.connect(fresh_database.reader_url) as connection, pytest.raises(AssertionError):
        assert_equal_without_accents(connection, "café", "simple+fold")


@pytest.mark.parametrize(
    ("written", "searched", "analyzer"),
    [
        ("café", "cafe", "simple+fold"),
        ("cafe", "café", "french+fold"),
        ("Straßen", "strasse", "german+fold"),
        ("Łódź", "lodz", "simple+fold"),
        ("Smørrebrød", "smorrebrod", "danish+fold"),
        ("Þingvellir", "thingvellir", "simple+fold"),
        ("città", "citta", "italian+fold"),
        ("città", "citta", "multilingual"),
        ("kır çiçeği", "kir cicegi", "turkish+fold"),
        ("présentées", "presentee", "french+fold"),
        ("café部署", "cafe", "cjk+fold"),
    ],
)
def test_it_is_found_with_and_without_accents(reader: Any, written: str, searched: str, analyzer: str) -> None:
    found = analyze(reader, searched, analyzer)
    assert found
    assert found.keys() <= analyze(reader, written, analyzer).keys()


def test_without_the_option_accents_count(reader: Any) -> None:
    assert analyze(reader, "café", "simple").keys().isdisjoint(analyze(reader, "cafe", "simple"))
    assert analyze(reader, "café", "cjk").keys().isdisjoint(analyze(reader, "cafe", "cjk"))


def stop_words(connection: psycopg.Connection[Any], language: str) -> set[str]:
    """PostgreSQL's own list, from the server's files."""
    [(directory,)] = connection.execute("SELECT setting FROM pg_config WHERE name = 'SHAREDIR'").fetchall()
    path = Path(directory, "tsearch_data", f"{language}.stop")
    return {line.strip() for line in path.read_text(encoding="utf-8").splitlines()} - {""} if path.exists() else set()


@pytest.fixture(scope="module")
def superuser(database: Database) -> Any:
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        yield connection


def languages(connection: psycopg.Connection[Any]) -> list[str]:
    rows = connection.execute("SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace")
    return sorted(name for (name,) in rows)


def test_folded_stop_words_are_those_of_the_servers_files(superuser: Any) -> None:
    lists = 0
    for language in languages(superuser):
        words = stop_words(superuser, language)
        lists += bool(words)
        expected = {fold(superuser, word) for word in words} - words
        [expression] = superuser.execute("SELECT ragspine.folded_stop_words_v1(%s)", [language]).fetchone()
        written = (
            set() if expression is None else set(expression.removeprefix(r"\m(?:").removesuffix(r")\M").split("|"))
        )
        assert written == expected, language
    assert lists >= 14


def assert_stop_words_stay(superuser: psycopg.Connection[Any]) -> None:
    """The core: no stop word of a language is a lexeme under +fold, whether with its accents or without."""
    seen = 0
    for language in languages(superuser):
        words = {word for word in stop_words(superuser, language) if not analyze(superuser, word, language)}
        for text in (" ".join(words), fold(superuser, " ".join(words)), " ".join(words).upper()):
            assert analyze(superuser, text, f"{language}+fold") == {}, language
        seen += len(words)
    assert seen > 1500


def test_stop_words_stay_stop_words(superuser: Any) -> None:
    assert_stop_words_stay(superuser)


def test_stop_words_stay_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("analyze_text_v1", ("stop_words := ragspine.folded_stop_words_v1(parsed.base);", "NULL;"))
    with psycopg.connect(fresh_database.superuser_url) as connection, pytest.raises(AssertionError):
        assert_stop_words_stay(connection)


@settings(max_examples=60, deadline=None)
@given(word=st.sampled_from(["fur", "uber", "für", "ÜBER"]), around=st.sampled_from(["a", "7", "ü", "部"]))
def test_a_stop_word_is_one_only_as_a_whole_word(reader: Any, word: str, around: str) -> None:
    assume(not word.endswith(around))
    assert analyze(reader, word, "german+fold") == {}
    assert len(analyze(reader, f"{word}{around}", "german+fold")) == 1
