"""A measured length pivot: the mean length of the chunks, for a library of one access class."""

import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.errors import IngestError
from ragspine_pg.ingest import pipeline
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf


@pytest.fixture
def measured(database: Database) -> Shelf:
    return Shelf(database, chunker="whole", analyzer="simple", profile={"pivot": "measured", "k1": 1.5})


def pivot(shelf: Shelf) -> float:
    return shelf.run(pipeline.list_versions(shelf.tenant, shelf.library))[0].pivot


def test_the_pivot_is_the_mean_length_after_every_ingest_and_all_impacts_follow(measured: Shelf) -> None:
    measured.ingest(Document("a", "one two three"), Document("b", "one", title="two"))
    assert pivot(measured) == 2.5
    measured.ingest(Document("c", "one two three four five six seven"))
    assert pivot(measured) == 4.0
    assert measured.audit() == []  # deep: every impact against a new analysis under the pivot of now
    measured.ingest(Document("c", "one"), Document("d", "the", title="a b c d e f"))
    assert pivot(measured) == pytest.approx(13 / 4)
    assert measured.audit() == []


def test_an_ingest_that_brings_a_second_class_is_refused_whole(measured: Shelf) -> None:
    measured.ingest(Document("a", "one two"))
    with pytest.raises(IngestError, match="same readers and sensitivity"):
        measured.ingest(Document("b", "three"), Document("c", "four", readers={"u"}))
    assert measured.run(pipeline.stats(measured.tenant, measured.library)).documents == 1
    assert pivot(measured) == 2.0


def test_a_relabel_that_brings_a_second_class_is_refused(measured: Shelf) -> None:
    measured.ingest(Document("a", "one two"))
    assert measured.relabel("a", readers={"u"})
    measured.ingest(Document("b", "three", readers={"u"}))
    with pytest.raises(IngestError, match="same readers and sensitivity"):
        measured.relabel("b", sensitivity="RESTRICTED")
    assert measured.audit() == []


def test_with_statistics_of_the_library_it_is_the_mean_of_all_that_is_not_restricted(database: Database) -> None:
    shelf = Shelf(database, chunker="whole", analyzer="simple", profile={"pivot": "measured"}, statistics="library")
    shelf.ingest(Document("a", "one"), Document("b", "one two three", readers={"u"}))
    assert pivot(shelf) == 2.0
    shelf.ingest(Document("c", "one two three four five six", sensitivity="RESTRICTED"))
    assert pivot(shelf) == 2.0
    assert shelf.relabel("b", readers={"v"}, sensitivity="CONFIDENTIAL")
    assert shelf.relabel("a", sensitivity="RESTRICTED")
    assert pivot(shelf) == 2.0  # as after a delete: with the next ingest
    shelf.ingest(Document("d", "one two three four five"))
    assert pivot(shelf) == 4.0
    assert shelf.audit() == []


def test_a_fixed_pivot_never_moves(database: Database) -> None:
    shelf = Shelf(database, profile={"pivot": 7})
    shelf.ingest(Document("a", "one two three"), Document("b", "x", readers=()))
    assert pivot(shelf) == 7.0
    assert shelf.audit() == []
