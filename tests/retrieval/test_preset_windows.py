"""What the chunker presets store is found, and read in its window."""

from collections.abc import Iterator

import pytest

from ragspine_pg import Access, Document, Locator, RagSpine
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine

ME = Access("shop", {"user:ann"})
SENTENCES = "Goods come back. The parcel is whole! Keep the receipt? Money follows. It takes days. Ask us."
ARTICLE = "Article 2\n" + " ".join(f"Rule {n} of the zebra returns." for n in range(300))
LAW = f"Article 1\nGoods come back.\n\n{ARTICLE}\n\nArticle 3\nThe end."
FAQ = "Q: How long?\nA: Thirty days.\n\nQ: For zebras?\nA: A year."


@pytest.fixture
def spine(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as opened:
        yield opened


def test_a_sentence_is_found_and_its_neighbours_are_read(spine: RagSpine) -> None:
    library = spine.create_library("shop", "sentences", chunker="sentence_window")
    library.ingest([Document("d", SENTENCES)])
    (hit,) = library.search("receipt", access=ME, expand="parent").hits
    assert hit.text == "Keep the receipt?"
    assert hit.window_text == SENTENCES
    assert Locator.parse(hit.parent_locator).verify(SENTENCES)
    (first,) = library.search("goods", access=ME, expand="parent").hits
    assert first.window_text == SENTENCES.removesuffix(" It takes days. Ask us.")
    assert library.search("receipt", access=ME).hits[0].window_text == ""


def test_an_article_is_found_whole_and_a_long_one_in_pieces(spine: RagSpine) -> None:
    library = spine.create_library("shop", "laws", chunker="laws")
    library.ingest([Document("law", LAW)])
    (first,) = library.search("goods", access=ME, expand="parent").hits
    assert (first.text, first.window_text) == ("Article 1\nGoods come back.", "")
    pieces = library.search("zebra", access=ME, expand="parent", k=10).hits
    assert len(pieces) > 1
    assert len({hit.parent_locator for hit in pieces}) == 1
    window = Locator.parse(pieces[0].parent_locator)
    assert LAW[window.start : window.end] == ARTICLE


def test_a_question_is_found_with_its_answer(spine: RagSpine) -> None:
    library = spine.create_library("shop", "faq", chunker="qa")
    library.ingest([Document("faq", FAQ)])
    assert [hit.text for hit in library.search("zebras", access=ME).hits] == ["Q: For zebras?\nA: A year."]
    assert [hit.text for hit in library.search("thirty", access=ME).hits] == ["Q: How long?\nA: Thirty days."]
