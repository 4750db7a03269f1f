"""What is handed to the write authority and cannot be meant: the error names argument, document or place."""

from pathlib import Path
from typing import Any

import pytest

from ragspine_pg import Document, RagSpine
from ragspine_pg.errors import ConfigurationError, InvalidDocument, RagSpineError, SourceRefused

LONG = "x" * 1025
NO_NAMES: list[tuple[Any, str]] = [
    ("\0", "holds a NUL or a lone surrogate at offset 0"),
    ("ab\ud800", "holds a NUL or a lone surrogate at offset 2"),
    (" ", "is a non-blank string"),
    (LONG, "has at most 1024 bytes"),
    (None, "is a string, not a NoneType"),
]


@pytest.fixture
def filled(spine: RagSpine) -> RagSpine:
    spine.create_library("refusals", "notes", exist_ok=True).ingest([Document("note", "text")])
    return spine


@pytest.mark.parametrize(("name", "says"), NO_NAMES)
def test_delete_and_relabel_name_a_malformed_id(filled: RagSpine, name: Any, says: str) -> None:
    library = filled.library("refusals", "notes")
    for call in (lambda: library.delete(name), lambda: library.relabel(name, readers=None)):
        with pytest.raises(InvalidDocument, match=f"^document_id {says}") as caught:
            call()
        assert caught.value.ids["argument"] == "document_id"


@pytest.mark.parametrize(("name", "says"), NO_NAMES)
def test_every_call_names_a_malformed_tenant_or_library(filled: RagSpine, name: Any, says: str) -> None:
    writer = filled.ingestor
    for argument, (tenant, library) in (("tenant", (name, "notes")), ("library_id", ("refusals", name))):
        for call in (
            lambda: filled.create_library(tenant, library),  # noqa: B023
            lambda: filled.library(tenant, library),  # noqa: B023
            lambda: writer.ingest(tenant, library, []),  # noqa: B023
            lambda: writer.delete(tenant, library, "note"),  # noqa: B023
            lambda: writer.relabel(tenant, library, "note", readers=None),  # noqa: B023
            lambda: writer.stats(tenant, library),  # noqa: B023
            lambda: writer.versions(tenant, library),  # noqa: B023
            lambda: writer.optimize(tenant, library),  # noqa: B023
        ):
            with pytest.raises(ConfigurationError, match=f"^{argument} {says}") as caught:
                call()
            assert caught.value.ids["argument"] == argument


@pytest.mark.parametrize(("name", "says"), NO_NAMES[:-1])
def test_listing_and_dropping_name_a_malformed_tenant(filled: RagSpine, name: Any, says: str) -> None:
    for call in (lambda: filled.ingestor.libraries(name), lambda: filled.ingestor.drop_library(name, "notes")):
        with pytest.raises(ConfigurationError, match=f"^tenant {says}"):
            call()


@pytest.mark.parametrize("readers", [{LONG}, "ann", 5, [5], {"\0"}, {""}, [["a"]]])
def test_relabel_judges_readers_as_an_ingest_does(filled: RagSpine, readers: Any) -> None:
    with pytest.raises(InvalidDocument, match="readers") as expected:
        Document("note", "text", readers=readers)
    with pytest.raises(InvalidDocument) as caught:
        filled.library("refusals", "notes").relabel("note", readers=readers)
    assert (str(caught.value), caught.value.ids) == (str(expected.value), expected.value.ids)
    with pytest.raises(InvalidDocument, match="readers"):
        filled.library("refusals", "notes").ingest([Document("note", "text")], readers=readers)


@pytest.mark.parametrize(("label", "says"), [(5, "sensitivity is one of"), ("\0", "sensitivity is one of")])
def test_relabel_names_a_malformed_label(filled: RagSpine, label: Any, says: str) -> None:
    with pytest.raises(InvalidDocument, match=says):
        filled.library("refusals", "notes").relabel("note", sensitivity=label)


@pytest.mark.parametrize("stranger", [None, 5, {"id": "secret text"}, b"secret text"])
def test_what_is_no_document_is_named_by_its_place_and_type(filled: RagSpine, stranger: Any) -> None:
    writer = filled.ingestor
    with pytest.raises(InvalidDocument, match=rf"item 2 .* {type(stranger).__name__}") as caught:
        writer.ingest("refusals", "notes", [Document("a", "text"), Document("b", "text"), stranger])
    assert caught.value.ids == {"position": 2}
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("path", ["\0", Path("a\0.md"), "\ud800.md"])
def test_a_path_that_no_file_has_is_named_by_its_place(filled: RagSpine, path: Any) -> None:
    with pytest.raises(SourceRefused, match="item 1 ") as caught:
        filled.ingestor.ingest("refusals", "notes", [Document("a", "text"), path])
    assert caught.value.ids == {"position": 1}


@pytest.mark.parametrize(
    ("documents", "options"),
    [
        (None, {}),
        (5, {}),
        ("a.md", {}),
        (Document("a", "text"), {}),
        ([], {"on_duplicate": "first"}),
        ([], {"on_duplicate": []}),
        ([], {"chunker": 5}),
        ([], {"progress": 5}),
        ([], {"metadata": [1]}),
        ([], {"metadata": {"a": {1}}}),
        ([Document("a", "text")], {"sensitivity": "secret"}),
    ],
)
def test_an_ingest_of_something_else_is_refused(filled: RagSpine, documents: Any, options: dict[str, Any]) -> None:
    with pytest.raises(RagSpineError) as caught:
        filled.ingestor.ingest("refusals", "notes", documents, **options)
    assert isinstance(caught.value, ConfigurationError | InvalidDocument)
    assert filled.library("refusals", "notes").stats().documents == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"description": None}, "description is a string"),
        ({"description": "a\0"}, "description holds .* offset 1"),
        ({"analyzer": "\0"}, "analyzer holds"),
        ({"analyzer": 5}, "analyzer is a string"),
        ({"chunker": 5}, "chunker"),
        ({"fields": 5}, "fields is a mapping"),
        ({"fields": [("year",)]}, "fields is a mapping"),
        ({"fields": {"a\0": "number"}}, "a name in fields holds"),
        ({"fields": {5: "number"}}, "a name in fields is a string"),
        ({"fields": {LONG: "number"}}, "a name in fields has at most"),
        ({"fields": {"year": []}}, "a type is one of"),
        ({"profile": 5}, "profile is a mapping"),
        ({"profile": {5: 1}}, "profile is a mapping"),
        ({"profile": {"\ud800": 1}}, "a profile sets"),
        ({"profile": {"k1": 10**400}}, "k1 is a number"),
        ({"profile": {"k1": "1"}}, "k1 is a number"),
        ({"profile": {"chunker_options": 5}}, "chunker_options is a mapping"),
        ({"profile": {"chunker_options": {"size": "9"}}}, "size"),
        ({"profile": {"chunker_options": {"size": 10**30}}}, "size"),
        ({"profile": {"chunker_options": {"colour": 9}}}, "has no option 'colour' .its options: size, overlap"),
    ],
)
def test_a_library_of_something_else_is_refused(spine: RagSpine, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        spine.create_library("refusals", "other", **options)
