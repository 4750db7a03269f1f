"""What every shell does: a transaction, the schema's check once, and the driver."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import psycopg

from ragspine_pg.connect.lazy import LazyTransaction
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.errors import UnavailableError
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.job import Job, run_job
from ragspine_pg.flow.steps import Flow
from ragspine_pg.schema.check import check

T = TypeVar("T")


@contextmanager
def cancelled_in_vain(context: RetrievalContext | None) -> Iterator[None]:
    """Tell a call that was cancelled while it waited for a connection as cancelled, not by why it got none."""
    try:
        yield
    except UnavailableError:
        if context is not None:
            context.cancellation.check()
        raise


class Shell:
    """A source of transactions, and the flows driven on it. Safe to share between threads where the source is."""

    def __init__(self, source: ConnectionSource) -> None:
        self._source = source
        self._checked = threading.Event()

    def _drive(self, flow: Flow[T], *, read_only: bool, context: RetrievalContext | None = None) -> T:
        """Run ``flow`` in a transaction of its own; ``context`` can cancel the running statement from another thread.

        Raises ``SchemaError`` when the database's schema is not this code's.
        """
        deadline = None if context is None else context.deadline
        bind = (lambda stop: None) if context is None else context.cancellation.bind

        def opened(connection: psycopg.Connection[Any] | None) -> None:
            bind(None if connection is None else connection.cancel_safe)
            if connection is not None and not self._checked.is_set():
                check(connection)
                self._checked.set()  # once a shell: a schema that moves while we run is an operator's doing

        with cancelled_in_vain(context), LazyTransaction(self._source, read_only, opened, deadline) as lease:
            return run(flow, lease)

    def _drive_job(self, job: Job[T]) -> T:
        """Run a job that writes, each of its flows in a transaction of its own."""
        return run_job(job, partial(self._drive, read_only=False))

    def check_schema(self) -> None:
        """Raise ``SchemaError`` when the database holds another schema than this code's; the first call does it too."""
        with self._source.transaction(read_only=True) as connection:
            check(connection)

    def close(self) -> None:
        """Close what is ours; a connection, pool or engine that was handed in stays open."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
