"""An ingest tells of values that are not of their field's declared type, and quotes none."""

from dataclasses import replace
from typing import Any

from ragspine_pg import Document, RagSpine

FIELDS = {"due": "timestamp", "fee": "number", "open": "boolean", "place": "string"}


def document(n: int, **metadata: Any) -> Document:
    return Document(f"d{n}", f"text {n}", metadata=metadata)


def test_values_of_another_type_are_counted_by_field(spine: RagSpine) -> None:
    library = spine.create_library("typed", "fields", fields=FIELDS)
    fine = [
        document(0, due="2026-03-01", fee=5, open=True, place="hut", other="5"),
        document(1, due=["2026-03-01T09:00:00Z"], fee=[1, 2.5], open=None),
        document(2),
    ]
    assert library.ingest(fine).warnings == ()
    wrong = [document(3, due="tomorrow", fee="5"), document(4, due=["2026-03-01", "later"]), document(5, fee=True)]
    told = library.ingest([*fine, *wrong, document(6, open=1, place=7)]).warnings
    assert [" ".join(warning.split()[:9]) for warning in told] == [
        "field 'due' is declared as timestamp, and 2 documents",
        "field 'fee' is declared as number, and 2 documents",
        "field 'open' is declared as boolean, and 1 document",
        "field 'place' is declared as string, and 1 document",
    ]
    assert "tomorrow" not in " ".join(told)


def test_what_is_not_stored_is_not_counted(spine: RagSpine) -> None:
    library = spine.create_library("typed", "kept", fields=FIELDS)
    library.ingest([document(0, fee=1)])
    kept = replace(document(0, fee="x"), keep=frozenset({"metadata"}))
    assert library.ingest([kept]).warnings == ()
    assert library.ingest([document(1, fee="x"), document(1, fee=1)], on_duplicate="last").warnings == ()
    emptied = [document(2, fee="x"), Document("d2", "")]
    assert library.ingest(emptied, on_duplicate="last").warnings == ()


def test_what_stays_stored_is_counted(spine: RagSpine) -> None:
    library = spine.create_library("typed", "stays", fields=FIELDS)
    (told,) = library.ingest(
        [document(0, fee="x"), replace(document(1, fee="y"), keep=frozenset({"metadata"}))]
    ).warnings
    assert told.startswith("field 'fee' is declared as number, and 2 documents have")
    (told,) = library.ingest([replace(document(0, fee=1), keep=frozenset({"metadata"}))]).warnings
    assert told.startswith("field 'fee' is declared as number, and 1 document has")
    assert library.ingest([document(0, fee={}), document(1, fee=[None, []])]).warnings != ()
    assert library.ingest([document(0, fee=[]), document(1, fee=[None])]).warnings == ()
