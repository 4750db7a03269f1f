"""An ingest tells of values that are not of their field's declared type, and quotes none."""

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
