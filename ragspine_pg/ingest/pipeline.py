"""The writing calls as flows: which stage comes after which. The caller opens the transaction and commits it.

All or nothing: whatever is raised, or a killed client, leaves the store as it was, and the call can be made again.
"""

from collections.abc import Iterable
from dataclasses import replace

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import (
    UNCHANGED,
    FoldReport,
    IngestReport,
    LibraryStats,
    OnDuplicate,
    SkippedDocument,
    Unchanged,
)
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.name import require_name
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.contract.readers import SHOWN, kindless_readers, readers_warning, widened_warning
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import ConfigurationError, InvalidDocument, NotFound
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import analyse, embed, fold, measure, seal, settle, stage, statistics, verify, write
from ragspine_pg.ingest.audit import audit
from ragspine_pg.ingest.delete import delete
from ragspine_pg.ingest.drop import drop_library, list_libraries
from ragspine_pg.ingest.index import BULK, index
from ragspine_pg.ingest.library import create_library
from ragspine_pg.ingest.mistyped import mistyped_warnings
from ragspine_pg.ingest.profile import profile_chunker
from ragspine_pg.ingest.progress import Meter, OnProgress
from ragspine_pg.ingest.relabel import hold_published, relabel
from ragspine_pg.ingest.split import split
from ragspine_pg.ingest.stats import library_stats
from ragspine_pg.ingest.target import Target, begin, find_target, open_target
from ragspine_pg.ingest.versions import list_versions

__all__ = [
    "audit",
    "create_library",
    "delete_document",
    "drop_library",
    "ingest",
    "list_libraries",
    "list_versions",
    "optimize",
    "relabel_document",
    "stats",
]


def ingest(
    tenant: str,
    library_id: str,
    documents: Iterable[Document],
    *,
    models: KnownModels | None = None,
    chunker: Chunker | None = None,
    on_duplicate: OnDuplicate = "error",
    progress: OnProgress | None = None,
) -> Flow[IngestReport]:
    """Store documents and index them in the published version; they are searchable once the transaction commits.

    ``documents`` is read once and may be longer than memory. A document whose id is stored already replaces the stored
    one; what did not change of it is not written again. An empty document (neither title nor text) is reported as
    skipped, and a stored document of its id stays as it is. An id that comes twice in the call, empty or not, is an
    error; with ``on_duplicate="last"`` the last one counts, whatever it holds. ``chunker`` is needed only where the
    profile's is no name that ``make_chunker`` knows; ``models`` is where the profile's embedding model is found.

    Raises ``NotFound``; ``EnvironmentChanged``; ``ConfigurationError`` for another chunker than the profile's;
    ``InvalidDocument`` and ``IngestError`` naming the document (or the position of what is none);
    ``VerificationFailed``.
    """
    if on_duplicate not in ("error", "last"):
        raise ConfigurationError('on_duplicate is "error" or "last"', argument="on_duplicate")
    if isinstance(documents, (str, Document)) or not isinstance(documents, Iterable):
        raise ConfigurationError("ingest takes a collection of documents: ingest([document])", argument="documents")
    meter = Meter(progress)
    target = yield from open_target(tenant, library_id, check_environment=True)
    cutter = profile_chunker(target, chunker)
    models = models or KnownModels()
    usage = Usage()
    yield from stage.make_stage()
    after_seq = after_chunk = replaced = read = 0
    model_wanted = False
    skipped: dict[str, SkippedDocument] = {}
    kindless: set[str] = set()
    for batch in split(documents, cutter):
        replaced += yield from stage.fill_stage(batch, on_duplicate, skipped)
        yield from analyse.mark_unchanged(target, batch.first_seq, batch.after_seq)
        yield from analyse.analyse(target, batch.first_chunk_seq, batch.after_chunk_seq)
        if not model_wanted:
            model_wanted = yield from embed.require_model(target, models, batch.first_seq, batch.after_seq)
        after_seq, after_chunk = batch.after_seq, batch.after_chunk_seq
        if len(kindless) < SHOWN:
            kindless |= kindless_readers(batch.readers)
        read += len(batch.documents) + len(batch.skipped)
        meter.report("read", read)
    yield from stage.analyze_stage()
    if target.space_no is not None:
        yield from settle.keep_stored(target)  # a label decides whether a text is embedded
    usage += yield from embed.embed_staged(target, models, 0, after_chunk, meter)

    meter.report("lock", 0, read)
    yield from settle.lock(target)
    yield from analyse.mark_unchanged(target, 0, after_seq)
    missed = yield from analyse.find_unanalysed()
    if missed is not None:
        yield from analyse.analyse(target, *missed)
    plan = yield from settle.plan(target)
    widened = yield from settle.count_widened(target)
    mistyped = yield from mistyped_warnings(target)
    removed = yield from _write(target, meter, after_seq, after_chunk)
    usage += yield from embed.embed_rest(target, models)
    yield from verify.verify_statistics(target)
    if plan.chunks and (yield from seal.is_due(target)):
        yield from seal.seal(target, meter, least=seal.DUE)
    if (yield from fold.needs_fold(target)):
        meter.report("fold", 0)
        yield from fold.fold(target)
    yield from stage.drop_stage()
    return IngestReport(
        added=plan.added,
        changed=plan.changed,
        relabelled=plan.relabelled,
        updated=plan.updated,
        unchanged=plan.unchanged,
        chunks=plan.chunks,
        removed_chunks=removed,
        replaced=replaced,
        skipped=tuple(skipped.values()),
        version=target.version,
        seconds=meter.seconds,
        usage=usage,
        warnings=(
            *([widened_warning(widened)] if widened else ()),
            *([readers_warning(kindless)] if kindless else ()),
            *mistyped,
        ),
    )


def _write(target: Target, meter: Meter, after_seq: int, after_chunk: int) -> Flow[int]:
    yield from stage.analyze_stage()
    bulk = after_chunk >= BULK
    if bulk:
        yield from write.refresh_planner(target)
    yield from statistics.subtract_stored(target, everywhere=True)
    removed = yield from write.remove_indexed(target, everywhere=True)
    yield from write.remove_stored(target)
    yield from embed.remove_unwanted(target)
    for first, after in analyse.slices(0, after_seq):
        yield from write.write_documents(target, first, after, refresh=bulk)
        meter.report("documents", after, after_seq)
    yield from write.add_pending(target)
    yield from index(target, meter, after_chunk, measured=target.measured)
    for first, after in analyse.slices(0, after_seq):
        yield from verify.verify_documents(target, first, after)
        meter.report("verify", after, after_seq)
    return removed


def delete_document(tenant: str, library_id: str, document_id: str) -> Flow[bool]:
    """Delete a document everywhere; whether there was one.

    Raises ``NotFound`` for an unknown library, ``InvalidDocument`` for what can be no document's id.
    """
    require_name("document_id", document_id, InvalidDocument)
    target = yield from open_target(tenant, library_id)
    return (yield from delete(target, document_id))


def relabel_document(
    tenant: str,
    library_id: str,
    document_id: str,
    *,
    models: KnownModels | None = None,
    readers: Iterable[str] | Unchanged | None = UNCHANGED,
    sensitivity: Sensitivity | str | Unchanged = UNCHANGED,
) -> Flow[bool]:
    """Change a document's readers (None: every member, empty: nobody) or sensitivity; whether something changed.

    Raises ``NotFound`` for an unknown library or document, ``InvalidDocument`` for a malformed id, reader or label, and
    ``IngestError`` where it would bring a second access class into a library that measures its length pivot and keeps
    statistics by class.
    """
    require_name("document_id", document_id, InvalidDocument)
    # Judged as a document's own rights are.
    names = readers if isinstance(readers, Unchanged) else Document(document_id, "", readers=readers).readers
    label = (
        sensitivity
        if isinstance(sensitivity, Unchanged)
        else Document(document_id, "", sensitivity=sensitivity).sensitivity
    )
    yield from begin()
    yield from hold_published(tenant, library_id)
    target = yield from find_target(tenant, library_id)
    changed = yield from relabel(target, document_id, names, label)
    if changed is None:
        raise NotFound(
            f"there is no document {document_id!r} in {tenant}/{library_id}",
            tenant=tenant,
            library=library_id,
            document=document_id,
        )
    if changed.embed:
        yield from embed.embed_documents(target, models or KnownModels(), [changed.document_no])
    if changed.moved and target.measured and target.by_class:
        yield from measure.require_one_class(target)
    return changed.moved


def optimize(tenant: str, library_id: str) -> Flow[FoldReport]:
    """Fold a library's statistics and seal its published version; answers stay the same, to the byte.

    Raises ``NotFound``.
    """
    target = yield from open_target(tenant, library_id)
    report = yield from fold.fold(target)
    return replace(report, sealed_chunks=(yield from seal.seal(target, Meter())))


def stats(tenant: str, library_id: str) -> Flow[LibraryStats]:
    """Numbers about a library over all access classes, for its administrator. Raises ``NotFound``."""
    target = yield from find_target(tenant, library_id)
    return (yield from library_stats(target))
