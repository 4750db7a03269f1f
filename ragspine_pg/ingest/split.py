"""From documents to the rows of the stage: cuts, checks, identities. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragspine_pg.chunking.provenance import check_provenance
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.fault import log_fault
from ragspine_pg.contract.ingest import SkippedDocument
from ragspine_pg.contract.locator import Locator
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.name import MAX_NAME_BYTES
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import IngestError, InvalidDocument, RagSpineError
from ragspine_pg.ingest.identity import chunk_ids, content_sha256

PAGE_LENGTH = 8192
MAX_METADATA_BYTES = 1 << 20
MAX_SEQ = 2**31 - 1

# A batch is what one COPY carries: bounded by number, for progress, and by text, for memory.
BATCH_DOCUMENTS = 256
BATCH_LENGTH = 4_000_000

_READERS = 6  # the column of a document's row


@dataclass(slots=True)
class Batch:
    """Rows for the stage, of documents ``first_seq`` to before ``after_seq`` and chunks likewise.

    ``skipped`` are empty documents, each with the number of the document that came next.
    """

    first_seq: int
    first_chunk_seq: int
    after_seq: int
    after_chunk_seq: int
    documents: list[Sequence[Any]] = field(default_factory=list)
    pages: list[Sequence[Any]] = field(default_factory=list)
    chunks: list[Sequence[Any]] = field(default_factory=list)
    skipped: list[tuple[int, SkippedDocument]] = field(default_factory=list)
    length: int = 0

    @property
    def readers(self) -> Iterator[str]:
        """Who is to read, with repeats."""
        return (name for row in self.documents for name in row[_READERS] or ())


def split(documents: Iterable[Document], chunker: Chunker) -> Iterator[Batch]:
    """Batches of rows, in the order of the documents; each document is read once.

    A document with neither title nor text is skipped. Raises ``InvalidDocument`` for what the store cannot hold,
    ``VerificationFailed`` for a chunker that breaks its promise, ``IngestError`` for one that fails; each names the
    document, or the position of what is none.
    """
    batch = Batch(0, 0, 0, 0)
    for position, document in enumerate(documents):
        if not isinstance(document, Document):
            raise InvalidDocument(
                f"item {position} of the ingest (counted from 0) is a {type(document).__name__}, no Document",
                position=position,
            )
        if document.title.strip() or document.text.strip():
            _add(batch, document, chunker)
        else:
            reason = "neither title nor text; a stored document of that id stays as it is"
            batch.skipped.append((batch.after_seq, SkippedDocument(document.id, reason)))
        if len(batch.documents) + len(batch.skipped) >= BATCH_DOCUMENTS or batch.length >= BATCH_LENGTH:
            yield batch
            batch = Batch(batch.after_seq, batch.after_chunk_seq, batch.after_seq, batch.after_chunk_seq)
    if batch.documents or batch.skipped:
        yield batch


def _add(batch: Batch, document: Document, chunker: Chunker) -> None:
    metadata = dump_json(document.metadata)
    _check(document, metadata)
    chunks = _cut(document, chunker)
    seq, first_chunk = batch.after_seq, batch.after_chunk_seq
    if first_chunk + len(chunks) > MAX_SEQ:
        raise IngestError(f"one ingest takes at most {MAX_SEQ} chunks; split it", document=document.id)
    text = document.text
    batch.documents.append(
        (
            seq,
            document.id,
            document.source_uri,
            document.title,
            document.language,
            metadata,
            None if document.readers is None else sorted(document.readers),
            str(document.sensitivity),
            len(text),
            content_sha256(document.title, text),
            first_chunk,
            len(chunks),
            "readers" in document.keep,
            "sensitivity" in document.keep,
            "metadata" in document.keep,
        )
    )
    batch.pages.extend(
        (seq, number, text[start : start + PAGE_LENGTH])
        for number, start in enumerate(range(0, len(text), PAGE_LENGTH))
    )
    ids = chunk_ids(document.id, chunker.fingerprint, [chunk.text for chunk in chunks])
    for ordinal, (chunk, chunk_id) in enumerate(zip(chunks, ids, strict=True)):
        window = Locator.parse(chunk.parent_locator) if chunk.parent_locator else None
        batch.chunks.append(
            (
                first_chunk + ordinal,
                seq,
                ordinal,
                chunk_id,
                chunk.span.start,
                chunk.span.end,
                Locator.parse(chunk.locator).sha256,
                None if window is None else window.start,
                None if window is None else window.end,
                None if window is None else window.sha256,
                chunk.text,
            )
        )
    batch.after_seq, batch.after_chunk_seq = seq + 1, first_chunk + len(chunks)
    batch.length += 2 * len(text) + len(metadata) + 100 * len(chunks)


def _cut(document: Document, chunker: Chunker) -> list[Chunk]:
    try:
        chunks = list(chunker.chunk(document))
    except RagSpineError:
        raise
    except Exception as error:  # noqa: BLE001
        # A chunker may be an application's own; its message could quote the text.
        log_fault(f"chunker {chunker.name!r}", error)
        raise IngestError(
            f"chunker {chunker.name!r} failed on document {document.id!r} ({type(error).__name__})",
            document=document.id,
        ) from None
    check_provenance(document, chunks)
    return chunks


def _check(document: Document, metadata: str) -> None:
    language = document.language
    if language is not None and (
        not isinstance(language, str) or unstorable_offset(language) is not None or len(language) > MAX_NAME_BYTES
    ):
        raise InvalidDocument(
            f"document {document.id!r}: a language is a short string without NUL or lone surrogates",
            document=document.id,
            field="language",
        )
    if len(metadata.encode()) > MAX_METADATA_BYTES:
        raise InvalidDocument(
            f"document {document.id!r}: metadata has at most {MAX_METADATA_BYTES} bytes as JSON", document=document.id
        )
