"""Brings a version that lacks documents up to date, a batch of them a transaction; the stages are those of an ingest.

Nothing of the documents themselves is written, and nothing of any other version. Order of locks, as of every writer:
the version, then documents by id (docs/adr/0005, 0010). What was read is compared once more under the locks: a document
that changed meanwhile, in text or in rights, stays pending and is read again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import VerificationFailed
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import analyse, embed, fold, measure, pending, recall, settle, stage, statistics, verify, write
from ragspine_pg.ingest.audit import audit_version
from ragspine_pg.ingest.index import BULK, index
from ragspine_pg.ingest.pending import Pending
from ragspine_pg.ingest.profile import profile_chunker, profile_model
from ragspine_pg.ingest.progress import Meter
from ragspine_pg.ingest.split import split
from ragspine_pg.ingest.target import Target, find_target, open_target

BATCH = (1000, 4_000_000)
"""Documents and code points of a batch at most; a killed call has lost one batch."""

EMBEDDED_BATCH = (256, 200_000)
"""The same where texts are embedded, which may take seconds for a hundred."""


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What was put into the version. ``read_no``: the highest number of a document that was read, None if none was."""

    documents: int = 0
    chunks: int = 0
    read_no: int | None = None
    usage: Usage = field(default_factory=Usage)


def open_behind(tenant: str, library_id: str, version: int) -> Flow[Target]:
    """Lock a version, and give it as it is under the lock.

    Raises ``NotFound``, ``VersionNotReady``, ``EnvironmentChanged``.
    """
    found = yield from open_target(tenant, library_id, version=version)
    yield from pending.lock(found)
    return (yield from find_target(tenant, library_id, version=version, check_environment=True))


def batch_size(target: Target) -> tuple[int, int]:
    """Documents and code points of a batch at most."""
    return EMBEDDED_BATCH if "embedding" in target.profile else BATCH


def catch_up(
    target: Target, models: KnownModels, chunker: Chunker | None, *, after_no: int, last_no: int
) -> Flow[CaughtUp]:
    """Index the next documents that the target, from ``open_behind``, lacks: a batch of those numbered above
    ``after_no`` and up to ``last_no``.

    ``chunker`` is needed only where the profile's is no name that ``make_chunker`` knows. Raises
    ``VerificationFailed``, ``ConfigurationError``, ``EmbeddingError``.
    """
    documents = yield from pending.read(target, *batch_size(target), after_no=after_no, last_no=last_no)
    if not documents:
        return CaughtUp()
    cutter = profile_chunker(target, chunker)
    yield from stage.make_stage()
    after_seq, after_chunk = yield from _fill(target, documents, cutter)
    silent = Meter()
    usage = yield from embed.embed_staged(target, models, 0, after_chunk, silent)

    yield from pending.lock_documents(target, documents)
    yield from analyse.mark_unchanged(target, 0, after_seq)
    missed = yield from analyse.find_unanalysed()
    if missed is not None:
        yield from analyse.analyse(target, *missed)
    numbers = yield from pending.plan(target, documents)
    chunks = (yield from settle.count()).chunks
    yield from stage.analyze_stage()
    if after_chunk >= BULK:
        yield from write.refresh_planner(target)
    yield from statistics.subtract_stored(target, everywhere=False)
    yield from write.remove_indexed(target, everywhere=False)
    # A measured pivot is measured at the end, by level.
    yield from index(target, silent, after_chunk, measured=False)
    usage += yield from embed.embed_rest(target, models, unwritten=True)
    for first, after in analyse.slices(0, after_seq):
        yield from verify.verify_documents(target, first, after)
    yield from verify.verify_statistics(target)
    yield from pending.clear(target)
    if (yield from fold.needs_fold(target)):
        yield from fold.fold(target)
    yield from stage.drop_stage()
    return CaughtUp(len(numbers), chunks, documents[-1].document_no, usage)


def _fill(target: Target, documents: Sequence[Pending], cutter: Chunker) -> Flow[tuple[int, int]]:
    """Stage and analyse the documents; how many documents and chunks that are."""
    after_seq = after_chunk = 0
    for batch in split([item.document for item in documents], cutter):
        if batch.skipped:
            document = batch.skipped[0][1].document_id
            raise VerificationFailed(f"document {document!r} is stored with neither title nor text", document=document)
        yield from stage.fill_stage(batch, "error", {}, pages=False)
        yield from analyse.mark_unchanged(target, batch.first_seq, batch.after_seq)
        yield from analyse.analyse(target, batch.first_chunk_seq, batch.after_chunk_seq)
        after_seq, after_chunk = batch.after_seq, batch.after_chunk_seq
    yield from stage.analyze_stage()
    return after_seq, after_chunk


def level(target: Target, meter: Meter) -> Flow[None]:
    """Measure the length pivot of the target, from ``open_behind``, where its profile says so; once it lacks nothing.

    Locks all documents: in a transaction that has locked none before, or that nobody who adds documents can meet.
    """
    if not target.measured:
        return
    yield from settle.lock_library(target)
    pivot, moved = yield from measure.measure_pivot(target)
    if moved:
        meter.report("reweigh", 0)
        yield from measure.reweigh(target, pivot)


def verify_version(target: Target, models: KnownModels) -> Flow[Usage]:
    """Check all that a version holds: counts, slices, hashes, labels, statistics, orphans, and a sample of vectors.

    Raises ``VerificationFailed`` naming the rule that does not hold.
    """
    findings = yield from audit_version(target)
    if findings:
        rule, where = findings[0].rule, findings[0].where
        raise VerificationFailed(
            f"version {target.version} of {target.tenant}/{target.library_id} does not hold the rule: {rule} ({where})",
            tenant=target.tenant,
            library=target.library_id,
            version=target.version,
        )
    model: EmbeddingModel | None = profile_model(target, models)
    return Usage() if model is None else (yield from recall.verify_recall(target, model))
