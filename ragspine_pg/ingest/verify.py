"""Checks what a call wrote, inside its transaction: what does not pass is rolled back with the rest."""

from typing import Any

from ragspine_pg.errors import VerificationFailed
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

RECOUNT_LIMIT = 500
"""A class with more chunks is not recounted at every ingest; ``audit`` recounts all."""

_COUNTS = query("ingest_verify_counts")
_SLICES = query("ingest_verify_slices", str)
_STATISTICS = query("ingest_verify_statistics", int)


def verify_documents(target: Target, first_seq: int, after_seq: int) -> Flow[None]:
    """Counts, classes and pages of a range of documents, and every new slice against the stored pages.

    Raises ``VerificationFailed`` naming a document.
    """
    span: dict[str, Any] = {
        "tenant_no": target.tenant_no,
        "version_no": target.version_no,
        "first_seq": first_seq,
        "after_seq": after_seq,
    }
    counts = yield from fetch(_COUNTS, **span)
    if counts:
        document, what = counts[0]
        raise VerificationFailed(f"document {document!r}: {what} do not match what was planned", document=document)
    slices = yield from fetch(_SLICES, **span)
    if slices:
        document = slices[0]
        raise VerificationFailed(f"document {document!r}: a slice is not the text at its span", document=document)


def verify_statistics(target: Target) -> Flow[None]:
    """The sums of the touched classes against a recount, where they are small; raises ``VerificationFailed``."""
    rows = yield from fetch(_STATISTICS, tenant_no=target.tenant_no, limit=RECOUNT_LIMIT)
    if rows[0]:
        raise VerificationFailed(f"{rows[0]} statistics differ from a recount of the chunks")
