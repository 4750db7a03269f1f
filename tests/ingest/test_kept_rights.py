"""Files say nothing of rights or metadata: ingesting them again leaves those as an administrator set them."""

import asyncio
import secrets
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ragspine_pg import Access, AsyncRagSpine, Document, MetadataFilter, RagSpine
from ragspine_pg.errors import InvalidDocument
from tests.fixtures.database import Database

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


def test_a_line_of_jsonl_goes_before_what_the_call_says(fresh_spine: RagSpine, folder: Path) -> None:
    said = '{"id": "line", "text": "spring", "sensitivity": "RESTRICTED"}\n{"id": "other", "text": "spring"}\n'
    (folder / "lines.jsonl").write_text(said, encoding="utf-8")
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([folder, Document("d", "spring", sensitivity="RESTRICTED")], sensitivity="PUBLIC")
    assert found(fresh_spine) == ["d", "other", "plan.md"]
    assert library.ingest([folder], readers={"user:bob"}, metadata={"a": 1}).relabelled == 3
    assert found(fresh_spine) == ["d"]


# What is stored, what comes, and whether somebody may read it now who could not, or its label is lower.
_MOVES: list[Any] = [
    (("CONFIDENTIAL", {"user:bob"}), ("INTERNAL", {"user:bob"}), True),
    (("INTERNAL", {"user:bob"}), ("CONFIDENTIAL", {"user:bob"}), False),
    (("RESTRICTED", None), ("INTERNAL", None), True),
    (("RESTRICTED", None), ("PUBLIC", ()), True),
    (("INTERNAL", None), ("RESTRICTED", None), False),
    (("INTERNAL", {"user:bob"}), ("RESTRICTED", None), False),
    (("RESTRICTED", {"user:bob"}), ("RESTRICTED", None), False),
    (("INTERNAL", {"user:bob"}), ("INTERNAL", None), True),
    (("INTERNAL", ()), ("INTERNAL", None), True),
    (("INTERNAL", ()), ("INTERNAL", {"user:bob"}), True),
    (("INTERNAL", {"user:bob"}), ("INTERNAL", {"user:ann"}), True),
    (("INTERNAL", {"user:bob"}), ("INTERNAL", {"user:ann", "user:bob"}), True),
    (("INTERNAL", {"user:bob"}), ("CONFIDENTIAL", {"user:ann", "user:bob"}), True),
    (("INTERNAL", {"user:ann", "user:bob"}), ("INTERNAL", {"user:bob"}), False),
    (("INTERNAL", None), ("INTERNAL", {"user:bob"}), False),
    (("INTERNAL", None), ("CONFIDENTIAL", ()), False),
    (("INTERNAL", None), ("INTERNAL", None), False),
]


def _moved(side: int, text: str) -> list[Document]:
    rights = [move[side] for move in _MOVES]
    return [
        Document(f"{n}", f"{text} {n}", readers=readers, sensitivity=label) for n, (label, readers) in enumerate(rights)
    ]


@pytest.mark.parametrize("text", ["spring", "another"], ids=["relabelled", "rewritten"])
def test_a_report_counts_what_the_call_opened(fresh_spine: RagSpine, text: str) -> None:
    library = fresh_spine.create_library("kept", "notes")
    assert library.ingest(_moved(0, "spring")).warnings == ()
    (warning,) = library.ingest(_moved(1, text)).warnings
    opened = sum(move[2] for move in _MOVES)
    assert warning.startswith(f"{opened} stored documents are now open to readers who could not read them before")
    assert library.ingest(_moved(1, text)).warnings == ()


@pytest.mark.parametrize(("stored", "again", "widens"), _MOVES, ids=range(len(_MOVES)))
def test_each_move_of_rights_is_judged_by_itself(spine: RagSpine, stored: Any, again: Any, widens: bool) -> None:
    library = spine.create_library(f"kept-{secrets.token_hex(4)}", "notes")
    library.ingest([Document("d", "spring", sensitivity=stored[0], readers=stored[1])])
    told = library.ingest([Document("d", "spring", sensitivity=again[0], readers=again[1])]).warnings
    assert [warning[:20] for warning in told] == (["1 stored document is"] if widens else [])


def test_what_a_relabel_closed_is_opened_with_a_warning_and_kept_with_keep(fresh_spine: RagSpine) -> None:
    library = fresh_spine.create_library("kept", "notes")
    library.ingest([Document("d", "spring")])
    library.relabel("d", readers={"user:bob"}, sensitivity="CONFIDENTIAL")
    assert library.ingest([Document("d", "early spring", keep={"readers", "sensitivity"})]).warnings == ()
    assert found(fresh_spine) == []
    (warning,) = library.ingest([Document("d", "spring")]).warnings
    assert "keep={'readers', 'sensitivity'}" in warning
    assert found(fresh_spine) == ["d"]


def test_awaited_it_warns_likewise(fresh_database: Database) -> None:
    async def body() -> tuple[str, ...]:
        async with await AsyncRagSpine.open(fresh_database.reader_url, ingest=fresh_database.ingest_url) as spine:
            library = await spine.create_library("kept", "notes")
            await library.ingest([Document("d", "spring", readers={"user:bob"})])
            return (await library.ingest([Document("d", "spring")])).warnings

    (warning,) = asyncio.run(body())
    assert warning.startswith("1 stored document is now open")


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
    told = library.ingest([Document("d", "spring", readers={"group:staff"}), Document("e", "x", readers={"user:ann"})])
    assert "without a kind" not in " ".join(told.warnings)
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
