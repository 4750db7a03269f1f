"""Which version is which: lists, locks and states of a library's versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragspine_pg.contract.metadata import load_json
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

KEPT = 2
"""How many retired versions a library keeps, to roll back to and for cursors to go on in."""


@dataclass(frozen=True, slots=True)
class Unpublished:
    """A version that was never published. ``here``: made under this server and locale."""

    version_no: int
    version: int
    state: str
    profile: Mapping[str, Any]
    here: bool


def _unpublished(version_no: int, version: int, state: str, profile: str, here: bool) -> Unpublished:
    return Unpublished(version_no, version, state, load_json(profile), here)


_LOCK_VERSIONS = query("ingest_lock_versions", int)
_AWAIT_RELABELS = query("ingest_await_relabels", int)
_LIST_UNPUBLISHED = query("ingest_list_unpublished", _unpublished)
_SET_STATE = query("ingest_set_state")
_MARK_ALL_PENDING = query("ingest_mark_all_pending")
_FIND_PREVIOUS = query("ingest_find_previous", int)
_DROP_SURPLUS = query("ingest_drop_surplus")


def lock_versions(target: Target) -> Flow[None]:
    """Lock all versions of the library: nobody adds documents, catches a version up or publishes one meanwhile."""
    yield from fetch(_LOCK_VERSIONS, tenant_no=target.tenant_no, library_no=target.library_no)


def await_relabels(target: Target) -> Flow[None]:
    """Wait for relabels that are at it, and hold up new ones: what they mark depends on which version is published."""
    yield from fetch(_AWAIT_RELABELS, tenant_no=target.tenant_no, library_no=target.library_no)


def list_unpublished(target: Target) -> Flow[list[Unpublished]]:
    """The library's versions that were never published, newest first."""
    return (yield from fetch(_LIST_UNPUBLISHED, tenant_no=target.tenant_no, library_no=target.library_no))


def mark_all_pending(target: Target, version_no: int) -> Flow[None]:
    """Say of a new version that it lacks every document."""
    yield from fetch(_MARK_ALL_PENDING, tenant_no=target.tenant_no, library_no=target.library_no, version_no=version_no)


def set_state(target: Target, version_no: int, state: str) -> Flow[None]:
    """Give a version of the library another state."""
    yield from fetch(
        _SET_STATE, tenant_no=target.tenant_no, library_no=target.library_no, version_no=version_no, state=state
    )


def find_previous(target: Target) -> Flow[int | None]:
    """The number of the version that was published before the one that is; None when none is kept."""
    rows = yield from fetch(_FIND_PREVIOUS, tenant_no=target.tenant_no, library_no=target.library_no)
    return rows[0] if rows else None


def drop_surplus(target: Target) -> Flow[None]:
    """Give up the retired versions but the ``KEPT`` published last.

    And measured ones behind one that is not, and those with statistics of the library behind one with those by class.
    """
    yield from fetch(_DROP_SURPLUS, tenant_no=target.tenant_no, library_no=target.library_no, kept=KEPT)
