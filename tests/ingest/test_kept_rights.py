"""Files say nothing of rights or metadata: ingesting them again leaves those as an administrator set them."""

from decimal import Decimal
from pathlib import Path

import pytest

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from ragspine_pg.errors import InvalidDocument

ME = Access("kept", {"user:ann"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.md").write_text("# Plan\n\nThe merger is planned for spring.\n", encoding="utf-8")
    (tmp_path / "lines.jsonl").write_text('{"id": "line", "text": "spring cleaning"}\n', encoding="utf-8")
    return tmp_path


def found(spine: RagSpine) -> list[str]:
    return sorted(hit.document_id for hit in spine.search("spring", access=ME).hits)


def test_a_relabel_outlives_the_next_ingest_of_the_folder(fresh_spine: RagSpine, folder: Path) -> None:
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([folder])
    assert found(fresh_spine) == ["line", "plan.md"]
    library.relabel("plan.md", sensitivity="RESTRICTED")
    library.relabel("line", readers={"user:bob"})
    assert library.ingest([folder]).unchanged == 2
    assert found(fresh_spine) == []
    (folder / "plan.md").write_text("# Plan\n\nThe merger is planned for early spring.\n", encoding="utf-8")
    assert library.ingest([folder]).changed == 1
    assert found(fresh_spine) == []
    assert library.ingest([folder], sensitivity="INTERNAL").relabelled == 1
    assert found(fresh_spine) == ["plan.md"]


def test_one_of_the_two_can_be_given_alone(fresh_spine: RagSpine, folder: Path) -> None:
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([folder], readers={"user:bob"}, sensitivity="CONFIDENTIAL")
    library.ingest([folder], readers={"user:ann"})
    hits = fresh_spine.search("spring", access=ME).hits
    assert {hit.sensitivity.value for hit in hits} == {"CONFIDENTIAL"}
    assert len(hits) == 2


def test_a_line_of_jsonl_means_what_it_says(fresh_spine: RagSpine, folder: Path) -> None:
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([folder])
    library.relabel("line", sensitivity="RESTRICTED")
    (folder / "lines.jsonl").write_text('{"id": "line", "text": "spring", "sensitivity": "PUBLIC"}\n', encoding="utf-8")
    library.ingest([folder])
    assert found(fresh_spine) == ["line", "plan.md"]


def test_a_document_means_what_it_says(fresh_spine: RagSpine) -> None:
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([Document("d", "spring", sensitivity="RESTRICTED")])
    library.ingest([Document("d", "spring", keep={"sensitivity"})])
    assert found(fresh_spine) == []
    library.ingest([Document("d", "spring")])
    assert found(fresh_spine) == ["d"]


def test_keep_names_rights_alone() -> None:
    with pytest.raises(InvalidDocument, match="keep"):
        Document("d", "text", keep={"title"})


def metadata(spine: RagSpine) -> dict[str, object]:
    return {hit.document_id: dict(hit.metadata) for hit in spine.search("spring", access=ME).hits}


def test_metadata_that_was_given_outlives_the_next_ingest_of_the_folder(fresh_spine: RagSpine, folder: Path) -> None:
    library = fresh_spine.create_library("kept", "notes", fields={"year": "number"})
    library.ingest([folder], metadata={"year": 2024, "by": "ann"})
    given = {"year": 2024, "by": "ann"}
    assert metadata(fresh_spine) == {"line": given, "plan.md": given}
    assert library.ingest([folder]).unchanged == 2
    (folder / "plan.md").write_text("# Plan\n\nThe merger is planned for early spring.\n", encoding="utf-8")
    assert library.ingest([folder], sensitivity="PUBLIC").changed == 1
    assert metadata(fresh_spine) == {"line": given, "plan.md": given}
    narrowed = fresh_spine.search("spring", access=ME, metadata_filter=MetadataFilter.where("year", "eq", 2024))
    assert len(narrowed.hits) == 2
    assert library.ingest([folder], metadata={"year": 2025}).updated == 2
    assert metadata(fresh_spine) == {"line": {"year": 2025}, "plan.md": {"year": 2025}}
    (folder / "lines.jsonl").write_text('{"id": "line", "text": "spring", "metadata": {"own": 1}}\n', encoding="utf-8")
    library.ingest([folder])
    assert metadata(fresh_spine) == {"line": {"own": 1}, "plan.md": {"year": 2025}}
    library.ingest([folder], metadata={})
    assert metadata(fresh_spine) == {"line": {"own": 1}, "plan.md": {}}


def test_metadata_is_kept_as_it_was_written(fresh_spine: RagSpine, folder: Path) -> None:
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([folder], metadata={"price": Decimal("1.50")})
    library.ingest([folder])
    assert {str(found["price"]) for found in metadata(fresh_spine).values()} == {"1.50"}  # type: ignore[index]


def test_a_reader_without_a_kind_is_stored_and_warned_of(fresh_spine: RagSpine) -> None:
    library = fresh_spine.create_library("kept", "notes")
    told = library.ingest([Document("d", "spring", readers={"staff", "user:bob"}), Document("e", "x", readers={"ann"})])
    assert told.added == 2
    (warning,) = told.warnings
    assert "'ann', 'staff'" in warning
    assert "'group:ann' is another" in warning
    assert library.ingest([Document("d", "spring", readers={"group:staff"}), Document("e", "x")]).warnings == ()
    assert library.ingest([Document("d", "spring", readers=())]).warnings == ()


def test_a_reader_that_begins_with_an_at_sign_is_refused(fresh_spine: RagSpine) -> None:
    library = fresh_spine.create_library("kept", "notes")
    for readers in ({"@members"}, {"group:staff", "@nobody"}):
        with pytest.raises(InvalidDocument, match="leave readers out for every member of the tenant"):
            Document("d", "spring", readers=readers)
        with pytest.raises(InvalidDocument, match="begins with @"):
            library.ingest([Document("d", "spring")], readers=readers)
        library.ingest([Document("d", "spring")])
        with pytest.raises(InvalidDocument, match="begins with @"):
            library.relabel("d", readers=readers)
