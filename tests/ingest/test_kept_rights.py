"""Files say nothing of rights: ingesting them again leaves readers and label as an administrator set them."""

from pathlib import Path

import pytest

from ragspine_pg import Access, Document, RagSpine
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
