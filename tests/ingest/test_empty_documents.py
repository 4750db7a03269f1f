"""Empty documents, with neither title nor text: reported, never stored, and counted where an id comes twice."""

import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.errors import IngestError
from ragspine_pg.ingest import pipeline
from tests.ingest.shelf import Shelf

FULL = Document("fox", "The quick brown fox jumps over the lazy dog.")
EMPTY = Document("fox", " ")


def others(number: int) -> list[Document]:
    return [Document(f"d{n}", "some text") for n in range(number)]


def stored(shelf: Shelf) -> int:
    return shelf.run(pipeline.stats(shelf.tenant, shelf.library)).documents


def test_a_stored_document_of_its_id_stays_as_it_is(shelf: Shelf) -> None:
    shelf.ingest(FULL)
    before = shelf.rows_of("fox")
    report = shelf.ingest(EMPTY)
    assert [empty.document_id for empty in report.skipped] == ["fox"]
    assert (report.documents, report.removed_chunks) == (0, 0)
    assert shelf.rows_of("fox") == before


@pytest.mark.parametrize("between", [0, 600])
@pytest.mark.parametrize(
    "documents", [(FULL, EMPTY), (EMPTY, FULL, EMPTY), (FULL, FULL, EMPTY), (FULL, EMPTY, EMPTY), (EMPTY, EMPTY)]
)
def test_an_empty_one_that_comes_last_wins(shelf: Shelf, documents: tuple[Document, ...], between: int) -> None:
    report = shelf.ingest(*documents[:-1], *others(between), documents[-1], on_duplicate="last")
    assert (report.added, report.replaced) == (between, len(documents) - 1)
    assert [empty.document_id for empty in report.skipped] == ["fox"]
    assert report.documents + report.replaced + len(report.skipped) == len(documents) + between
    assert stored(shelf) == between
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


@pytest.mark.parametrize("between", [0, 600])
@pytest.mark.parametrize("documents", [(EMPTY, FULL), (FULL, EMPTY, FULL), (EMPTY, EMPTY, FULL), (EMPTY, FULL, FULL)])
def test_a_full_one_that_comes_last_wins(shelf: Shelf, documents: tuple[Document, ...], between: int) -> None:
    report = shelf.ingest(*documents[:-1], *others(between), documents[-1], on_duplicate="last")
    assert (report.added, report.replaced, report.skipped) == (1 + between, len(documents) - 1, ())
    assert stored(shelf) == 1 + between
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def test_what_was_stored_before_the_call_outlasts_an_empty_last(shelf: Shelf) -> None:
    shelf.ingest(FULL)
    before = shelf.rows_of("fox")
    report = shelf.ingest(Document("fox", "Another text."), EMPTY, on_duplicate="last")
    assert (report.changed, report.replaced, len(report.skipped)) == (0, 1, 1)
    assert shelf.rows_of("fox") == before


@pytest.mark.parametrize("between", [0, 600])
@pytest.mark.parametrize("documents", [(FULL, EMPTY), (EMPTY, FULL), (EMPTY, EMPTY)])
def test_an_id_twice_is_an_error_empty_or_not(shelf: Shelf, documents: tuple[Document, ...], between: int) -> None:
    with pytest.raises(IngestError, match="'fox' comes twice") as caught:
        shelf.ingest(*documents[:-1], *others(between), documents[-1])
    assert caught.value.ids == {"document": "fox"}
    assert stored(shelf) == 0
