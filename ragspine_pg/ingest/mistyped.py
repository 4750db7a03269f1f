"""Values of declared fields that are of another type: they are stored as they were given, and no filter finds them."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ragspine_pg.contract.instant import read_instant
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

_LIST_FIELDS = query("ingest_list_fields")


class Mistyped:
    """Counts documents by declared field that holds a value of another type."""

    def __init__(self, fields: dict[str, str]) -> None:
        self._fields = fields
        self._counts: Counter[str] = Counter()

    @classmethod
    def of(cls, target: Target) -> Flow["Mistyped"]:
        """For the fields that the library declares."""
        rows = yield from fetch(_LIST_FIELDS, tenant_no=target.tenant_no, library_no=target.library_no)
        return cls({str(name): str(kind) for name, kind in rows})

    def look_at(self, written: Iterable[str]) -> None:
        """Count the metadata of some documents, each a JSON object."""
        if not self._fields:
            return
        for metadata in map(json.loads, written):
            self._counts.update(
                name
                for name in self._fields.keys() & metadata.keys()
                if not all(_is(value, self._fields[name]) for value in _elements(metadata[name]))
            )

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence a field: its name, its type and how many documents; no value."""
        return tuple(
            f"field {name!r} is declared as {self._fields[name]}, and {number:,}"
            f" {'document has' if number == 1 else 'documents have'} a value of another type there, which no filter of"
            f" that type matches"
            for name, number in sorted(self._counts.items())
        )


def _elements(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is(value: Any, kind: str) -> bool:
    if value is None:
        return True
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return isinstance(value, str) and read_instant(value) is not None
