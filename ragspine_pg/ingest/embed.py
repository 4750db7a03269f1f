"""Stage embed: vectors of chunks, for the versions that have an embedding space.

Texts are embedded before any lock is taken. What turns out under the locks to be wanted besides (a document that
changed meanwhile, a label that was lowered) is embedded then. Which labels are embedded is decided in one place, the
SQL function ``embeds_v1``: RESTRICTED text reaches no model.

The model is looked up where there is a text for it, and not before: a label can be raised where it cannot be had.
"""

from collections.abc import Sequence

from ragspine_pg.contract.embedded import Embedded, vector_text
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import embedding_text
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.flow.steps import Flow, copy, fetch, work
from ragspine_pg.ingest.profile import profile_model
from ragspine_pg.ingest.progress import Meter
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

SLICE = 512
"""How many chunks are embedded between two reports of progress."""

_Row = tuple[int, str, str, str]

_WANTS_MODEL = query("ingest_wants_model", bool)
_FIND_UNEMBEDDED = query("ingest_find_unembedded")
_COPY = query("ingest_copy_embedding")
_ADD = query("ingest_add_embeddings")
_LIST_UNEMBEDDED = query("ingest_list_unembedded", list[int])
_FIND_MISSING = query("ingest_find_missing")
_ADD_MISSING = query("ingest_add_missing")
_REMOVE = query("ingest_remove_embeddings")


def require_model(target: Target, models: KnownModels, first_seq: int, after_seq: int) -> Flow[bool]:
    """Whether a staged document of a range will be embedded, for all that is known while documents are still read.

    Raises ``ConfigurationError`` where one will and the model is not at hand: before the rest is read.
    """
    if target.space_no is None:
        return False
    rows = yield from fetch(
        _WANTS_MODEL,
        tenant_no=target.tenant_no,
        version_no=target.version_no,
        first_seq=first_seq,
        after_seq=after_seq,
    )
    if rows[0]:
        profile_model(target, models)
    return rows[0]


def embed_staged(
    target: Target, models: KnownModels, first_chunk_seq: int, after_chunk_seq: int, meter: Meter
) -> Flow[Usage]:
    """Embed the staged chunks of a range, but those of unchanged documents and of labels that are not embedded.

    Raises ``EmbeddingError`` naming the document, and ``ConfigurationError`` where the model is not at hand.
    """
    usage = Usage()
    if target.space_no is None:
        return usage
    for first in range(first_chunk_seq, after_chunk_seq, SLICE):
        after = min(first + SLICE, after_chunk_seq)
        rows = yield from fetch(
            _FIND_UNEMBEDDED,
            tenant_no=target.tenant_no,
            version_no=target.version_no,
            first_seq=first,
            after_seq=after,
        )
        keys, vectors, cost = yield from _embed(target, models, rows)
        yield from copy(_COPY, ["int4", "text"], zip(keys, vectors, strict=True))
        usage += cost
        meter.report("embed", after)
    return usage


def write_staged(target: Target, first_chunk_seq: int, after_chunk_seq: int) -> Flow[None]:
    """Write the staged vectors of a range of chunks that have just been written."""
    yield from fetch(
        _ADD,
        tenant_no=target.tenant_no,
        version_no=target.version_no,
        first_seq=first_chunk_seq,
        after_seq=after_chunk_seq,
    )


def remove_unwanted(target: Target) -> Flow[None]:
    """Delete the vectors of staged documents whose label is raised above what a version embeds."""
    yield from fetch(_REMOVE, tenant_no=target.tenant_no, library_no=target.library_no)


def embed_rest(target: Target, models: KnownModels, *, unwritten: bool = False) -> Flow[Usage]:
    """Embed what the documents of the call still lack. Raises as ``embed_staged``.

    ``unwritten``: those too that have their chunks and keep their rights, as a document does that a version lacks only
    since its label was lowered.
    """
    if target.space_no is None:
        return Usage()
    lacking = yield from fetch(
        _LIST_UNEMBEDDED, tenant_no=target.tenant_no, version_no=target.version_no, unwritten=unwritten
    )
    return (yield from embed_documents(target, models, lacking[0]))


def embed_documents(target: Target, models: KnownModels, document_nos: Sequence[int]) -> Flow[Usage]:
    """Embed the stored chunks of these documents that lack the vector their version and label allow.

    Raises as ``embed_staged``.
    """
    usage = Usage()
    if target.space_no is None:
        return usage
    for first in range(0, len(document_nos), SLICE):
        rows = yield from fetch(
            _FIND_MISSING,
            tenant_no=target.tenant_no,
            version_no=target.version_no,
            document_nos=list(document_nos[first : first + SLICE]),
        )
        for start in range(0, len(rows), SLICE):
            keys, vectors, cost = yield from _embed(target, models, rows[start : start + SLICE])
            yield from fetch(
                _ADD_MISSING,
                tenant_no=target.tenant_no,
                version_no=target.version_no,
                chunk_nos=keys,
                embeddings=vectors,
            )
            usage += cost
    return usage


def _embed(target: Target, models: KnownModels, rows: Sequence[_Row]) -> Flow[tuple[list[int], list[str], Usage]]:
    """The keys of the rows that are not blank, their vectors as text, and the cost."""
    texts = [(key, document, embedding_text(title, text)) for key, document, title, text in rows]
    texts = [item for item in texts if item[2].strip()]
    model = profile_model(target, models) if texts else None
    if model is None:
        return [], [], Usage()

    def embed() -> Embedded:
        return embed_checked(
            model,
            [text for _, _, text in texts],
            EmbeddingTask.RETRIEVAL_DOCUMENT,
            labels=[document for _, document, _ in texts],
        )

    embedded = yield from work(embed)
    return [key for key, _, _ in texts], [vector_text(vector) for vector in embedded.vectors], embedded.usage
