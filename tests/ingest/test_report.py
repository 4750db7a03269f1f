"""What an ingest says it did, and what it did."""

from itertools import pairwise

import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError, IngestError, InvalidDocument, NotFound
from ragspine_pg.flow.steps import Fetch
from ragspine_pg.ingest import pipeline
from ragspine_pg.ingest.identity import content_sha256
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf

FOX = Document("fox", "The quick brown fox jumps over the lazy dog.", title="Fox", metadata={"year": 1999})
OWL = Document("owl", "An owl sees at night.", readers={"group:birds"})


def test_new_documents_are_added_and_searchable_statistics_are_exact(shelf: Shelf) -> None:
    report = shelf.ingest(FOX, OWL)
    assert (report.added, report.changed, report.unchanged, report.chunks, report.skipped) == (2, 0, 0, 2, ())
    assert report.version == 1
    assert len(shelf.stored_statistics()) > 8
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def test_unchanged_documents_are_not_written_again(shelf: Shelf) -> None:
    shelf.ingest(FOX, OWL)
    before = shelf.rows_of("fox")
    assert {kind for kind, _ in before} == {"document", "page", "chunk", "lexical"}
    report = shelf.ingest(FOX, OWL)
    assert (report.added, report.unchanged, report.chunks, report.removed_chunks) == (0, 2, 0, 0)
    assert shelf.rows_of("fox") == before


def test_unchanged_documents_are_not_analysed_again(shelf: Shelf) -> None:
    shelf.ingest(FOX, OWL)
    # Analysis that would fail: an ingest of what is known must not come to it.
    flow = pipeline.ingest(shelf.tenant, shelf.library, [FOX, OWL])
    analysed = []

    def watched():  # type: ignore[no-untyped-def]
        reply = None
        try:
            while True:
                step = flow.send(reply)
                reply = yield step
                if isinstance(step, Fetch) and step.name == "ingest_plan":
                    analysed.extend((yield Fetch("count", "SELECT * FROM pg_temp.ragspine_stage_analysis", {})))
        except StopIteration as end:
            return end.value

    report = shelf.run(watched())
    assert report.unchanged == 2
    assert analysed == []


@pytest.mark.parametrize(
    ("again", "group"),
    [
        (Document("fox", "Another text.", title="Fox", metadata={"year": 1999}), "changed"),
        (Document("fox", FOX.text, title="Vixen", metadata={"year": 1999}), "changed"),
        (Document("fox", FOX.text, title="Fox", metadata={"year": 2000}), "updated"),
        (Document("fox", FOX.text, title="Fox", metadata={"year": 1999}, source_uri="file:fox"), "updated"),
        (Document("fox", FOX.text, title="Fox", metadata={"year": 1999}, language="en"), "updated"),
        (Document("fox", FOX.text, title="Fox", metadata={"year": 1999}, readers={"u"}), "relabelled"),
        (Document("fox", FOX.text, title="Fox", metadata={"year": 1999}, readers=()), "relabelled"),
        (Document("fox", FOX.text, title="Fox", metadata={"year": 1999}, sensitivity="RESTRICTED"), "relabelled"),
    ],
)
def test_every_kind_of_change_takes_effect(shelf: Shelf, again: Document, group: str) -> None:
    shelf.ingest(FOX, OWL)
    report = shelf.ingest(again)
    assert {name for name in ("added", "changed", "relabelled", "updated", "unchanged") if getattr(report, name)} == {
        group
    }
    [(title, uri, language, year, digest, label, everyone)] = shelf.owner(
        """
        SELECT d.title, d.source_uri, d.language, (d.metadata ->> 'year')::int, d.content_sha256, k.sensitivity,
               k.open_to_members
          FROM ragspine.document AS d JOIN ragspine.tenant AS t USING (tenant_no)
          JOIN ragspine.acl_class AS k USING (tenant_no, acl_class_no)
         WHERE t.tenant = %(tenant)s AND d.document_id = 'fox'
        """
    )
    assert (title, uri, language, year) == (again.title, again.source_uri, again.language, again.metadata["year"])
    assert digest == content_sha256(again.title, again.text)
    assert (label, everyone) == (again.sensitivity, again.readers is None)
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def test_metadata_that_is_equal_in_value_but_written_otherwise_is_stored_as_given(shelf: Shelf) -> None:
    shelf.ingest(Document("n", "text", metadata={"price": 1}))
    assert shelf.ingest(Document("n", "text", metadata={"price": 1.0})).updated == 1


def test_a_title_without_text_is_one_chunk_and_a_document_with_neither_is_reported(shelf: Shelf) -> None:
    report = shelf.ingest(Document("titled", " \n", title="Only a title"), Document("blank", " "), Document("void", ""))
    assert (report.added, report.chunks) == (1, 1)
    assert [skipped.document_id for skipped in report.skipped] == ["blank", "void"]
    assert all("neither title nor text" in skipped.reason for skipped in report.skipped)
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def test_an_id_that_comes_twice_is_refused_by_name_and_nothing_is_stored(shelf: Shelf) -> None:
    with pytest.raises(IngestError, match="'fox' comes twice") as caught:
        shelf.ingest(OWL, FOX, FOX)
    assert caught.value.ids["document"] == "fox"
    assert shelf.run(pipeline.stats(shelf.tenant, shelf.library)).documents == 0


def test_an_id_that_comes_twice_batches_apart_is_refused_too(shelf: Shelf) -> None:
    documents = [Document(f"d{number}", "text") for number in range(600)]
    with pytest.raises(IngestError, match="'d3' comes twice"):
        shelf.ingest(*documents, Document("d3", "text"))


@pytest.mark.parametrize("between", [0, 600])
def test_the_last_of_one_id_wins_when_asked(shelf: Shelf, between: int) -> None:
    others = [Document(f"d{number}", "some text") for number in range(between)]
    last = Document("fox", "The last one wins.", title="Fox")
    report = shelf.ingest(FOX, *others, FOX, last, on_duplicate="last")
    assert (report.added, report.replaced) == (1 + between, 2)
    [(digest,)] = shelf.owner(
        "SELECT content_sha256 FROM ragspine.document JOIN ragspine.tenant USING (tenant_no)"
        " WHERE tenant = %(tenant)s AND document_id = 'fox'"
    )
    assert digest == content_sha256(last.title, last.text)
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def test_one_bad_document_among_a_thousand_is_named_and_nothing_is_stored(shelf: Shelf) -> None:
    documents = [Document(f"d{number}", f"text {number}") for number in range(1000)]
    documents[700] = Document("d700", "text", metadata={"blob": "x" * 1_100_000})
    with pytest.raises(InvalidDocument, match="'d700'"):
        shelf.ingest(*documents)
    assert shelf.run(pipeline.stats(shelf.tenant, shelf.library)).documents == 0
    assert shelf.ingest(*documents[:700]).added == 700


def test_the_same_content_under_two_ids_is_two_documents(shelf: Shelf) -> None:
    report = shelf.ingest(Document("a", "same text"), Document("b", "same text"))
    assert (report.added, report.chunks) == (2, 2)
    assert shelf.audit() == []


def test_identical_slices_of_one_document_have_ids_of_their_own(database: Database) -> None:
    shelf = Shelf(database, chunker_options={"size": 12})
    report = shelf.ingest(Document("echo", "\n\n".join(["echo echo."] * 5)))
    assert report.chunks == 5
    assert shelf.audit() == []


def test_readers_in_any_order_make_one_class(shelf: Shelf) -> None:
    shelf.ingest(Document("a", "x", readers=["b", "a"]), Document("b", "y", readers=["a", "b", "a"]))
    assert [found.readers for found in shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes] == [
        frozenset({"a", "b"})
    ]


def test_six_hundred_readers_fit(shelf: Shelf) -> None:
    readers = frozenset(f"user:{number:04}-{'x' * 40}" for number in range(600))
    shelf.ingest(Document("a", "x", readers=readers))
    [found] = shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes
    assert found.readers == readers


def test_progress_is_told_by_stage(shelf: Shelf) -> None:
    documents = [Document(f"d{number}", f"text {number}") for number in range(300)]
    seen: list[Progress] = []
    shelf.ingest(*documents, progress=seen.append)
    assert [progress.done for progress in seen if progress.stage == "read"] == [256, 300]
    assert [progress.stage for progress in seen][2:] == ["lock", "documents", "lexemes", "chunks", "verify"]
    assert all(before.seconds <= after.seconds for before, after in pairwise(seen))
    assert shelf.ingest(*documents).unchanged == 300


@pytest.mark.parametrize("at", ["read", "lock", "documents", "lexemes", "chunks", "verify"])
def test_ctrl_c_at_any_stage_keeps_nothing(shelf: Shelf, at: str) -> None:
    shelf.ingest(FOX, OWL)
    before = shelf.stored_statistics()

    def interrupt(progress: Progress) -> None:
        if progress.stage == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.ingest(Document("fox", "Other words."), Document("new", "Newer words."), progress=interrupt)
    assert shelf.stored_statistics() == before
    assert shelf.ingest(FOX, OWL).unchanged == 2


def test_an_error_of_the_caller_s_own_iterable_passes_through_and_nothing_is_kept(shelf: Shelf) -> None:
    def documents():  # type: ignore[no-untyped-def]
        yield FOX
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        shelf.ingest_all(documents())
    assert shelf.run(pipeline.stats(shelf.tenant, shelf.library)).documents == 0


def test_two_ingests_in_one_transaction(shelf: Shelf) -> None:
    def both():  # type: ignore[no-untyped-def]
        first = yield from pipeline.ingest(shelf.tenant, shelf.library, [FOX])
        second = yield from pipeline.ingest(shelf.tenant, shelf.library, [FOX, OWL])
        return first, second

    first, second = shelf.run(both())
    assert (first.added, second.added, second.unchanged) == (1, 1, 1)
    assert shelf.audit() == []


def test_an_unknown_library_is_not_found(shelf: Shelf) -> None:
    for flow in (
        pipeline.ingest(shelf.tenant, "none", []),
        pipeline.ingest("nobody", shelf.library, []),
        pipeline.stats(shelf.tenant, "none"),
        pipeline.optimize(shelf.tenant, "none"),
        pipeline.list_versions(shelf.tenant, "none"),
        pipeline.delete_document(shelf.tenant, "none", "fox"),
        pipeline.relabel_document(shelf.tenant, "none", "fox", readers=None),
    ):
        with pytest.raises(NotFound):
            shelf.run(flow)  # type: ignore[arg-type]


def test_a_snapshot_that_stands_still_is_refused(shelf: Shelf) -> None:
    def flow():  # type: ignore[no-untyped-def]
        yield Fetch("set", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", {})
        return (yield from pipeline.ingest(shelf.tenant, shelf.library, [FOX]))

    with pytest.raises(ConfigurationError, match="READ COMMITTED"):
        shelf.run(flow())


def test_two_tenants_with_the_same_ids_never_touch_each_other(database: Database) -> None:
    one, two = Shelf(database), Shelf(database)
    foreign = Document("fox", "Of another tenant.", metadata={"tenant_id": one.tenant}, readers={"group:birds"})
    one.ingest(FOX, OWL)
    two.ingest(foreign)
    before = one.stored_statistics(), one.rows_of("fox")
    two.ingest(Document("fox", "Changed."), OWL)
    two.relabel("owl", sensitivity="RESTRICTED")
    two.delete("fox")
    two.run(pipeline.optimize(two.tenant, two.library))
    assert (one.stored_statistics(), one.rows_of("fox")) == before
    assert one.audit() == two.audit() == []
    assert [one.run(pipeline.stats(shelf.tenant, shelf.library)).documents for shelf in (one, two)] == [2, 1]
