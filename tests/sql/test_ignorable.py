"""Characters that are not seen do not make another word of a word; the stored text keeps them."""

from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.contract.locator import Locator
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

# Unicode's Default_Ignorable_Code_Point, written down from DerivedCoreProperties.txt and not from our own class.
_RANGES = [
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]  # fmt: skip
IGNORABLE = [chr(code) for first, last in _RANGES for code in range(first, last + 1)]
FAULT = ("ragspine.drop_ignorable_v1(text)", "text")


@pytest.fixture(scope="module")
def reader(database: Database) -> Any:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        yield connection


def analyze(connection: psycopg.Connection[Any], text: str, analyzer: str) -> dict[str, int]:
    return dict(connection.execute("SELECT * FROM ragspine.analyze(%s, %s)", [text, analyzer]).fetchall())


def assert_not_seen(connection: psycopg.Connection[Any], word: str, analyzer: str) -> None:
    """The core: each character, inside and around the word, leaves its lexemes what they are."""
    assert analyze(connection, word, analyzer)
    rows = connection.execute(
        """
        SELECT c.character
          FROM unnest(%(characters)s::text[]) AS c(character)
         CROSS JOIN LATERAL (SELECT c.character || substr(%(word)s, 1, 2) || c.character || c.character
                                    || substr(%(word)s, 3) || c.character AS text) AS t
         WHERE ARRAY(SELECT a::text FROM ragspine.analyze(t.text, %(analyzer)s) AS a)
               <> ARRAY(SELECT a::text FROM ragspine.analyze(%(word)s, %(analyzer)s) AS a)
        """,
        {"characters": IGNORABLE, "word": word, "analyzer": analyzer},
    ).fetchall()
    assert [f"{ord(character):04X}" for (character,) in rows] == []


@pytest.mark.parametrize(
    ("word", "analyzer"),
    [
        ("Gesamtkonzepte", "german"),
        ("returning", "english"),
        ("città", "simple"),
        ("שלום", "simple"),
        ("हिन्दी", "simple"),
        ("葛城市", "cjk"),
        ("부탁해", "cjk"),
        ("テスト", "cjk"),
    ],
)
def test_a_character_that_is_not_seen_changes_no_word(reader: Any, word: str, analyzer: str) -> None:
    assert_not_seen(reader, word, analyzer)


@pytest.mark.parametrize("analyzer", ["simple", "english", "cjk"])
def test_a_text_of_nothing_that_is_seen_has_no_lexemes(reader: Any, analyzer: str) -> None:
    assert analyze(reader, "".join(IGNORABLE), analyzer) == {}
    assert analyze(reader, "  ".join(IGNORABLE), analyzer) == {}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("کتاب\u200cها", "کتاب ها"),
        ("می\u200cخواهم", "می خواهم"),
        ("ខ្ញុំ\u200bចង់\u200bរៀន", "ខ្ញុំ ចង់ រៀន"),
        ("ภาษา\u200bไทย", "ภาษา ไทย"),
    ],
)
def test_where_it_parts_words_it_is_a_space(reader: Any, text: str, parts: str) -> None:
    found = analyze(reader, text, "simple")
    assert found == analyze(reader, parts, "simple")
    assert len(found) == len(parts.split())


def test_a_joiner_of_indic_scripts_and_a_break_of_a_line_part_nothing(reader: Any) -> None:
    assert analyze(reader, "क्\u200dष", "simple") == analyze(reader, "क्ष", "simple")
    assert analyze(reader, "क्\u200cष", "simple") == analyze(reader, "क्ष", "simple")
    assert analyze(reader, "long\u200bword", "simple") == {"longword": 1}


def test_not_seen_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("analyze_text_v1", FAULT)
    with psycopg.connect(fresh_database.reader_url, autocommit=True) as connection, pytest.raises(AssertionError):
        assert_not_seen(connection, "returning", "english")


TEXT = "\ufeffDas Ge\u00adsamt\u00adkon\u00adzept.\n\nEin \u200fשלום\u200f am Ende."


def assert_found_verbatim(spine: RagSpine) -> None:
    """The core: the plain word finds the document, the passage is the text as it came, its citation holds."""
    library = spine.create_library("acme", "typeset", analyzer="german", chunker="whole")
    library.ingest([Document("d1", TEXT, title="Ti\u00adtel"), Document("d2", "etwas anderes")])
    access = Access("acme", {"user:ann"})
    for query in ("Gesamtkonzept", "Gesamt\u00adkonzept", "שלום", "titel"):
        hits = spine.search(query, access=access, libraries="typeset").hits
        assert [(hit.document_id, hit.text, hit.title) for hit in hits] == [("d1", TEXT, "Ti\u00adtel")]
        assert Locator.parse(hits[0].locator).verify(TEXT)


def test_the_plain_word_finds_the_text_as_it_came(fresh_spine: RagSpine) -> None:
    assert_found_verbatim(fresh_spine)


def test_found_verbatim_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("analyze_text_v1", FAULT)
    with open_spine(fresh_database) as spine, pytest.raises(AssertionError):
        assert_found_verbatim(spine)
