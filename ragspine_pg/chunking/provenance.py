"""The check every chunker's work must pass before it is written."""

from collections.abc import Sequence

from ragspine_pg.chunking.limit import fits_lexeme_limit
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.locator import Locator
from ragspine_pg.errors import VerificationFailed


def check_provenance(document: Document, chunks: Sequence[Chunk]) -> None:
    """Raise ``VerificationFailed`` unless ``chunks`` are honest slices of ``document``, all of it, in order.

    The message names the document, the chunk's ordinal (from 0) and the broken rule, never a text. The pipeline checks
    every document, so that the faults of a chunker from outside cannot reach the store.
    """
    text = document.text
    is_blank = not text.strip()
    if is_blank:
        expected = 1 if document.title.strip() else 0
        if len(chunks) != expected:
            raise _broken(document, None, f"a document without text has {expected} chunks here, not {len(chunks)}")
    covered, last_start = 0, -1
    window_before: tuple[str, str] | None = None
    for ordinal, chunk in enumerate(chunks):
        span = chunk.span
        if not 0 <= span.start <= span.end <= len(text):
            raise _broken(document, ordinal, "its span does not lie inside the document")
        if chunk.text != text[span.start : span.end]:
            raise _broken(document, ordinal, "its text is not the slice of the document at its span")
        if chunk.locator != str(Locator.of(text, span.start, span.end)):
            raise _broken(document, ordinal, "its locator is not that of its span")
        if span.start <= last_start:
            raise _broken(document, ordinal, "it does not begin after the chunk before it")
        if not is_blank and not chunk.text.strip():
            raise _broken(document, ordinal, "it holds nothing but whitespace")
        if text[covered : span.start].strip():
            raise _broken(document, ordinal, "text between it and the chunk before it lies in no chunk")
        if not fits_lexeme_limit(chunk.text):
            raise _broken(document, ordinal, "it is so long that it may exceed 16,000 distinct lexemes")
        _check_window(document, ordinal, chunk, window_before)
        window_before = (chunk.parent_locator, chunk.window_text)
        covered, last_start = max(covered, span.end), span.start
    if text[covered:].strip():
        raise _broken(document, None, "text at the document's end lies in no chunk")


def _check_window(document: Document, ordinal: int, chunk: Chunk, before: tuple[str, str] | None) -> None:
    if not chunk.parent_locator:
        if chunk.window_text:
            raise _broken(document, ordinal, "it has a window's text without its locator")
        return
    try:
        window = Locator.parse(chunk.parent_locator)
    except ValueError:
        raise _broken(document, ordinal, "its parent locator is malformed") from None
    if not window.start <= chunk.span.start <= chunk.span.end <= window.end <= len(document.text):
        raise _broken(document, ordinal, "its window does not contain it")
    if window.start == window.end:
        raise _broken(document, ordinal, "its window is empty")
    if before is not None and chunk.parent_locator == before[0] and chunk.window_text is before[1]:
        return  # the window of the chunk before it, checked there: a long section is not hashed once a chunk
    if not window.verify(document.text) or chunk.window_text != document.text[window.start : window.end]:
        raise _broken(document, ordinal, "its window is not the slice of the document at its parent locator")


def _broken(document: Document, ordinal: int | None, rule: str) -> VerificationFailed:
    which = "" if ordinal is None else f" {ordinal}"
    return VerificationFailed(f"chunk{which} of document {document.id!r}: {rule}", document=document.id, chunk=ordinal)
