"""Changes who may read a document: one row is updated, foreign keys and statistics follow in the same transaction."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_pg.contract.ingest import Unchanged
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.name import require_name
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query


@dataclass(frozen=True, slots=True)
class Rights:
    """A stored document's number, class and rights."""

    document_no: int
    acl_class_no: int
    sensitivity: str
    open_to_members: bool
    readers: list[str]


@dataclass(frozen=True, slots=True)
class Relabelled:
    """What a relabel did: whether anything changed, and whether texts may be embedded now that were not before."""

    document_no: int
    moved: bool
    embed: bool


_HOLD_PUBLISHED = query("ingest_hold_published", int)
_READ = query("ingest_read_rights", Rights)
_CLASS_NO = query("ingest_class_no", int)
_SAVEPOINT = query("ingest_savepoint")
_LOCK = query("ingest_lock_document", int)
_ROLL_BACK = query("ingest_roll_back")
_RELEASE = query("ingest_release")
_NEXT_BATCH = query("ingest_next_batch", int)
_MOVE_STATISTICS = query("ingest_move_statistics", int)
_RELABEL_EMBEDDINGS = query("ingest_relabel_embeddings")
_RELABEL_PENDING = query("ingest_relabel_pending")
_RELABEL = query("ingest_relabel_document")
_ADD_TAIL = query("ingest_add_tail")


def hold_published(tenant: str, library_id: str) -> Flow[None]:
    """Have a publish wait for the end of this transaction.

    A relabel embeds what the published version may have by now, and marks it pending in the others: which is which must
    not change meanwhile. Taken before the version is read.
    """
    require_name("tenant", tenant, ConfigurationError)
    require_name("library_id", library_id, ConfigurationError)
    yield from fetch(_HOLD_PUBLISHED, tenant=tenant, library_id=library_id)


def relabel(
    target: Target,
    document_id: str,
    readers: Iterable[str] | Unchanged | None,
    sensitivity: Sensitivity | Unchanged,
) -> Flow[Relabelled | None]:
    """Give a stored document other readers (None: every member) or another sensitivity; None when there is none.

    Vectors of a text that is not embedded under its new label are deleted, in every version.

    Every writer makes classes before it locks documents; but which class is wanted can depend on the document's old
    one. So that is read first, and when it is another one once the lock is held, the lock is given back.
    """
    place = {"tenant_no": target.tenant_no, "library_no": target.library_no, "document_id": document_id}
    while True:
        found = yield from fetch(_READ, **place)
        if not found:
            return None
        seen = found[0]
        yield from fetch(_SAVEPOINT)
        class_no = yield from fetch(
            _CLASS_NO,
            tenant_no=target.tenant_no,
            sensitivity=seen.sensitivity if isinstance(sensitivity, Unchanged) else str(sensitivity),
            open_to_members=seen.open_to_members if isinstance(readers, Unchanged) else readers is None,
            readers=seen.readers if isinstance(readers, Unchanged) else sorted(readers or ()),
        )
        yield from fetch(_LOCK, **place)
        # Read in a statement of its own: it sees what the holder before us committed. In the statement that waited for
        # the lock, two relabels would both subtract the same old class.
        under_lock = yield from fetch(_READ, **place)
        if under_lock != found:
            yield from fetch(_ROLL_BACK)
            continue
        yield from fetch(_RELEASE)
        if class_no[0] == seen.acl_class_no:
            return Relabelled(seen.document_no, moved=False, embed=False)
        batch = yield from fetch(_NEXT_BATCH)
        move = {
            "tenant_no": target.tenant_no,
            "document_no": seen.document_no,
            "batch_no": batch[0],
            "old_acl_class_no": seen.acl_class_no,
            "acl_class_no": class_no[0],
        }
        yield from fetch(_MOVE_STATISTICS, **move)
        vectors = {name: move[name] for name in ("tenant_no", "document_no", "old_acl_class_no", "acl_class_no")}
        vectors["library_no"] = target.library_no
        yield from fetch(_RELABEL_EMBEDDINGS, **vectors)
        yield from fetch(_RELABEL_PENDING, version_no=target.version_no, **vectors)
        yield from fetch(_RELABEL, tenant_no=target.tenant_no, document_no=seen.document_no, acl_class_no=class_no[0])
        yield from fetch(_ADD_TAIL, tenant_no=target.tenant_no, document_nos=[seen.document_no])
        return Relabelled(seen.document_no, moved=True, embed=not isinstance(sensitivity, Unchanged))
