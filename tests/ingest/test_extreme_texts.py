"""Texts that break tokenizers and caps: stored, cut, counted right."""

import random

import pytest

from ragspine_pg.contract.document import Document
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf


@pytest.fixture
def simple(database: Database) -> Shelf:
    return Shelf(database, chunker="whole", analyzer="simple")


def frequencies(shelf: Shelf, title: str, text: str) -> dict[str, int]:
    rows = shelf.owner(
        "SELECT unnest(lexemes), unnest(frequencies) FROM ragspine.analyze_chunk_v1(%(title)s, %(body)s, 'simple')",
        title=title,
        body=text,
    )
    return dict(rows)


def test_two_hundred_thousand_distinct_words_in_one_document(simple: Shelf) -> None:
    report = simple.ingest(Document("dictionary", " ".join(f"w{number}" for number in range(200_000))))
    assert report.added == 1
    lexemes = {lexeme for _, lexeme in simple.stored_statistics() if lexeme is not None}
    assert len(lexemes) == 200_000
    assert simple.audit(deep=False) == []


def test_a_base64_token_of_900_kb_is_stored_and_left_out_of_the_lexemes(simple: Shelf) -> None:
    blob = "".join(random.Random(1).choices("ABCDEFabcdef0123456789", k=900_000))
    assert simple.ingest(Document("blob", f"before {blob} after")).added == 1
    assert {lexeme for _, lexeme in simple.stored_statistics()} >= {"before", "after"}
    assert all(lexeme is None or len(lexeme) <= 2046 for _, lexeme in simple.stored_statistics())
    assert simple.audit() == []


@pytest.mark.parametrize(("length", "kept"), [(2046, True), (2047, False), (2048, False)])
def test_a_token_longer_than_2046_bytes_is_no_lexeme(simple: Shelf, length: int, kept: bool) -> None:
    simple.ingest(Document("long", f"short {'x' * length}"))
    lexemes = {lexeme for _, lexeme in simple.stored_statistics()}
    assert ("x" * length in lexemes) is kept
    assert "short" in lexemes
    assert simple.audit() == []


def test_one_word_three_hundred_times_and_more_words_than_positions(simple: Shelf) -> None:
    assert frequencies(simple, "", "fox " * 300 + "owl") == {"fox": 300, "owl": 1}
    assert frequencies(simple, "fox", "fox owl " * 10_000) == {"fox": 10_001, "owl": 10_000}
    simple.ingest(Document("many", "fox " * 300))
    assert (300,) in [(length,) for (_, lexeme), (_, length) in simple.stored_statistics().items() if lexeme is None]


def test_a_chunk_of_too_many_distinct_lexemes_keeps_the_most_frequent_and_ties_by_code_point(simple: Shelf) -> None:
    words = [f"w{number:05}" for number in range(17_000)]
    text = " ".join([*words, "w16999", "w16998"])
    kept = frequencies(simple, text, "")
    assert len(kept) == 16_000
    assert {word for word, count in kept.items() if count == 2} == {"w16999", "w16998"}
    assert set(kept) == {*words[:15_998], "w16998", "w16999"}


def test_a_long_document_is_kept_in_pages_and_its_slices_cross_them(database: Database) -> None:
    shelf = Shelf(database, chunker="parent_child")
    text = "\n\n".join(f"# Part {n}\n\n" + f"Satz {n} mit ä, 漢字 und 🦊. " * 90 for n in range(20))
    report = shelf.ingest(Document("long", text))
    assert report.chunks > 20
    [(pages, length)] = shelf.owner(
        "SELECT count(*)::int, sum(char_length(text))::int FROM ragspine.document_page JOIN ragspine.tenant"
        " USING (tenant_no) WHERE tenant = %(tenant)s"
    )
    assert (pages, length) == (-(-len(text) // 8192), len(text))
    [(windows,)] = shelf.owner(
        "SELECT count(*)::int FROM ragspine.parent_window JOIN ragspine.tenant USING (tenant_no)"
        " WHERE tenant = %(tenant)s"
    )
    assert 0 < windows <= report.chunks
    assert shelf.audit() == []
    assert shelf.ingest(Document("long", text)).unchanged == 1
    assert shelf.ingest(Document("long", text[:9000])).changed == 1
    assert shelf.audit() == []
