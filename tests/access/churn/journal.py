"""What writers wrote and when: what a document can have been at some time, to somebody who watches from outside."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from ragspine_pg import Access
from ragspine_pg.contract.label import Sensitivity
from tests.access.churn.library import TENANT

Readers = frozenset[str] | None


class State(NamedTuple):
    """A stored document: the edition of its text, and its rights."""

    edition: int
    readers: Readers
    label: Sensitivity

    def readable(self, access: Access) -> bool:
        """The rule, in words: nobody reads what is RESTRICTED; else every member, or whom the readers name."""
        if access.tenant != TENANT or not access.principals or self.label is Sensitivity.RESTRICTED:
            return False
        return self.readers is None or bool(self.readers & access.principals)


Facet = int | Readers | Sensitivity | State | None
"""What one writer alone decides of a document: its edition, readers or label; or all of it (None: there is none)."""


@dataclass
class Entry:
    """A write: when it was begun, when the call returned, and what it wrote."""

    value: Facet
    begun: float
    done: float | None


class Journal:
    """Each facet of a document is written by one thread alone, one write at a time, so that its order is known.

    A document that was never entered here belongs to everybody, and can be anything.
    """

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, list[Entry]]] = defaultdict(dict)
        self._lock = threading.Lock()
        self.writes: Counter[str] = Counter()
        """How many writes of each kind returned."""

    def start(self, document_id: str, facets: Mapping[str, Facet]) -> None:
        """What a document is before all writes."""
        self._entries[document_id] = {name: [Entry(value, 0.0, 0.0)] for name, value in facets.items()}

    @contextmanager
    def writing(self, kind: str, facet: str | None = None, **values: Facet) -> Iterator[None]:
        """Enter what a call writes into a facet of documents, around the call."""
        entries = [(self._entries[name][facet], Entry(value, 0.0, None)) for name, value in values.items() if facet]
        now = time.monotonic()
        for told, entry in entries:
            entry.begun = now
            told.append(entry)
        yield
        now = time.monotonic()
        for _, entry in entries:
            entry.done = now
        with self._lock:
            self.writes[kind] += 1

    @property
    def finished(self) -> int:
        """How many writes returned."""
        with self._lock:
            return self.writes.total()

    @property
    def names(self) -> Sequence[str]:
        """The documents whose states are known."""
        return list(self._entries)

    def states(self, document_id: str, since: float, until: float) -> set[State | None]:
        """All that a document can have been at some time of this span."""
        facets = self._entries[document_id]
        possible = {name: _possible(entries, since, until) for name, entries in facets.items()}
        if "all" in possible:
            return set(possible["all"])  # type: ignore[arg-type]
        rights = product(possible["edition"], possible["readers"], possible["label"])
        return {State(*of) for of in rights}  # type: ignore[arg-type]

    def last(self, document_id: str) -> State | None:
        """What a document is when nobody writes any more."""
        now = time.monotonic()
        [state] = self.states(document_id, now, now)
        return state


def _possible(entries: Sequence[Entry], since: float, until: float) -> set[Facet]:
    """The last write that had returned by ``since``, and each after it that had begun by ``until``."""
    found: set[Facet] = set()
    for entry in reversed(entries):  # others may append meanwhile: those begin too late
        if entry.begun <= until:
            found.add(entry.value)
        if entry.done is not None and entry.done <= since:
            break
    return found
