"""Makes a call again that was overtaken by a publish."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import IngestReport
from ragspine_pg.errors import VersionChanged
from ragspine_pg.flow.job import Job, transaction
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest.documents import Documents

T = TypeVar("T")

_TRIES = 3


def again(attempt: Callable[[], Job[T]]) -> Job[T]:
    """Make an attempt, and another where a version was published meanwhile; raises ``VersionChanged`` of the last."""
    for _ in range(_TRIES - 1):
        try:
            return (yield from attempt())
        except VersionChanged:
            pass
    return (yield from attempt())


def ingest_again(documents: Documents, ingest: Callable[[Iterable[Document]], Flow[IngestReport]]) -> Job[IngestReport]:
    """Ingest ``documents`` in one transaction, and again in another where a version was published meanwhile.

    Each reads them from the beginning. Raises ``VersionChanged`` where they can be read only once.
    """
    if documents.repeatable:
        return (yield from again(lambda: transaction(ingest(documents))))
    try:
        return (yield from transaction(ingest(documents)))
    except VersionChanged as error:
        raise VersionChanged(
            f"{error}, with a new iterator (a list, or paths, would have been read again by themselves)", **error.ids
        ) from None
