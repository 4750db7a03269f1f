"""Reads stored documents that a version lacks, and decides under the locks which of them go into it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.metadata import load_json
from ragspine_pg.errors import VerificationFailed, VersionNotReady
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.identity import content_sha256
from ragspine_pg.ingest.target import Target, find_target
from ragspine_pg.statement.catalogue import query

LIVE = ("building", "verified", "published", "retired")
"""The states of a version that documents are written to; of these, all but ``published`` may lack some."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A stored document as it was read."""

    document_no: int
    acl_class_no: int
    document: Document


@dataclass(frozen=True, slots=True)
class Lacking:
    """How many documents a version lacks, and the highest number of them; 0 and 0 for none."""

    documents: int
    last_no: int


_LOCK = query("ingest_lock_behind", str)
_COUNT = query("ingest_count_pending", Lacking)
_READ = query("ingest_read_pending")
_LOCK_DOCUMENTS = query("ingest_lock_numbered", int)
_LOCK_ALL = query("ingest_lock_pending", int)
_PLAN = query("ingest_plan_pending")
_LIST_PLANNED = query("ingest_list_planned", list[int])
_CLEAR = query("ingest_clear_pending")


def lock(target: Target) -> Flow[None]:
    """Lock the version against others that catch it up, publish or drop it; writers of the published one do not wait.

    Raises ``VersionNotReady`` when it was given up, ``NotFound`` when the library is gone.
    """
    states = yield from fetch(_LOCK, tenant_no=target.tenant_no, version_no=target.version_no)
    if not states:
        yield from find_target(target.tenant, target.library_id)
    if not states or states[0] not in LIVE:
        state = states[0] if states else "gone"
        raise VersionNotReady(
            f"version {target.version} of {target.tenant}/{target.library_id} is {state} by now: a rebuild with "
            "another profile took its place",
            tenant=target.tenant,
            library=target.library_id,
            version=target.version,
        )


def count(target: Target) -> Flow[Lacking]:
    """What the version lacks."""
    rows = yield from fetch(_COUNT, tenant_no=target.tenant_no, version_no=target.version_no)
    return rows[0]


def read(target: Target, number: int, length: int, *, after_no: int, last_no: int) -> Flow[list[Pending]]:
    """The next documents that the version lacks: so many, and so many code points, at most, but one at least.

    In the order of their numbers, of those above ``after_no`` and up to ``last_no``. Raises ``VerificationFailed`` for
    one whose stored text is not what its hash says.
    """
    rows = yield from fetch(
        _READ,
        tenant_no=target.tenant_no,
        version_no=target.version_no,
        after_no=after_no,
        last_no=last_no,
        number=number,
        length=length,
    )
    return [_pending(*row) for row in rows]


def _pending(
    document_no: int,
    acl_class_no: int,
    sha256: str,
    document_id: str,
    text: str,
    title: str,
    source_uri: str,
    metadata: str,
    readers: list[str] | None,
    sensitivity: str,
    language: str | None,
) -> Pending:
    if content_sha256(title, text) != sha256:
        raise VerificationFailed(
            f"document {document_id!r}: the stored text is not what its hash says; ingest it again",
            document=document_id,
        )
    document = Document(
        document_id,
        text,
        title=title,
        source_uri=source_uri,
        metadata=load_json(metadata),
        readers=readers,
        sensitivity=sensitivity,
        language=language,
    )
    return Pending(document_no, acl_class_no, document)


def plan(target: Target, documents: Sequence[Pending]) -> Flow[list[int]]:
    """Plan those of the documents, locked by now, that are still what was read; their numbers."""
    yield from fetch(
        _PLAN,
        tenant_no=target.tenant_no,
        document_nos=[item.document_no for item in documents],
        acl_class_nos=[item.acl_class_no for item in documents],
    )
    return (yield from fetch(_LIST_PLANNED))[0]


def lock_documents(target: Target, documents: Sequence[Pending]) -> Flow[None]:
    """Lock the documents, by id, as every writer does."""
    numbers = [item.document_no for item in documents]
    yield from fetch(_LOCK_DOCUMENTS, tenant_no=target.tenant_no, document_nos=numbers)


def lock_all(target: Target) -> Flow[None]:
    """Lock all documents that the version lacks, by id, in one statement: for several batches in one transaction."""
    yield from fetch(_LOCK_ALL, tenant_no=target.tenant_no, version_no=target.version_no)


def clear(target: Target) -> Flow[None]:
    """Take the marks of the planned documents away."""
    yield from fetch(_CLEAR, tenant_no=target.tenant_no, version_no=target.version_no)
