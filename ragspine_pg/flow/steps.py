"""The steps a flow may yield, and the typed sub-flows that yield them.

A flow is a generator: it yields a step and receives the reply. ``rows = yield from fetch(statement, name=value)`` keeps
full types. Errors of the driver are translated and thrown *into* the flow, so that a flow can mend or add to them.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

Row = TypeVar("Row")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Statement(Generic[Row]):
    """One statement of the catalogue (a file of ``sql/queries``) and the type its rows become."""

    name: str
    text: str
    row: Callable[..., Row]


@dataclass(frozen=True, slots=True)
class Fetch:
    """Run a statement with parameters; the reply is its rows as tuples (empty for a statement without rows)."""

    name: str
    text: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Copy:
    """Stream rows into a table by a binary ``COPY ... FROM STDIN``; the reply is their number.

    ``types`` are the columns' types, by name; a jsonb column takes JSON text. Binary, because the CONTEXT of an error
    in a text COPY quotes the row, and a server's log may keep it.
    """

    name: str
    text: str
    types: Sequence[str]
    rows: Iterable[Sequence[Any]]


Step = Fetch | Copy
Flow: TypeAlias = Generator[Step, Any, T]


def fetch(statement: Statement[Row], **params: Any) -> Flow[list[Row]]:
    """The rows of ``statement``, each made by its row type from the columns in order."""
    rows: list[tuple[Any, ...]] = yield Fetch(statement.name, statement.text, params)
    return [statement.row(*row) for row in rows]


def copy(statement: Statement[Any], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Flow[int]:
    """Stream ``rows`` of columns of these ``types`` through the binary COPY of ``statement``; the number sent."""
    count: int = yield Copy(statement.name, statement.text, types, rows)
    return count
