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


@dataclass(frozen=True, slots=True)
class Batch:
    """Send several statements in one round trip; the reply is a list of rows for each, in order.

    ``last``: nothing of the database is needed afterwards, so that a transaction of ours is committed with them.
    """

    fetches: Sequence[Fetch]
    last: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """Run something that takes its time outside the database, such as a model; the reply is what it returns."""

    run: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Release:
    """Commit and give the connection back, if it is ours, before a long ``Work``; the next statement takes another."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Take a connection now, if none is held: for what must not grow old while one is waited for."""


Step = Fetch | Batch | Copy | Work | Release | Hold
Flow: TypeAlias = Generator[Step, Any, T]


def fetch(statement: Statement[Row], **params: Any) -> Flow[list[Row]]:
    """The rows of ``statement``, each made by its row type from the columns in order."""
    rows: list[tuple[Any, ...]] = yield Fetch(statement.name, statement.text, params)
    return [statement.row(*row) for row in rows]


def batch(*asked: tuple[Statement[Any], Mapping[str, Any]], last: bool = False) -> Flow[list[list[Any]]]:
    """The rows of several statements with their parameters, sent in one round trip; ``last`` as in ``Batch``."""
    fetches = [Fetch(statement.name, statement.text, params) for statement, params in asked]
    replies: list[list[tuple[Any, ...]]] = yield Batch(fetches, last)
    return [[statement.row(*row) for row in rows] for (statement, _), rows in zip(asked, replies, strict=True)]


def work(run: Callable[[], T]) -> Flow[T]:
    """What ``run`` returns; the async driver calls it in a worker thread. Its errors arrive in the flow."""
    result: T = yield Work(run)
    return result


def release() -> Flow[None]:
    """Let go of the connection for as long as no statement is needed."""
    yield Release()


def hold() -> Flow[None]:
    """Have a connection, before anything is computed that ages."""
    yield Hold()


def copy(statement: Statement[Any], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Flow[int]:
    """Stream ``rows`` of columns of these ``types`` through the binary COPY of ``statement``; the number sent."""
    count: int = yield Copy(statement.name, statement.text, types, rows)
    return count
