"""From files and folders to documents, one at a time."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ragspine_pg.contract.document import KEEPABLE, Document
from ragspine_pg.errors import IngestError, InvalidDocument, SourceRefused
from ragspine_pg.ingest.authorise import SkippedFile, SourceFile, find_sources, open_source
from ragspine_pg.ingest.loader.html import load_html
from ragspine_pg.ingest.loader.jsonl import load_jsonl
from ragspine_pg.ingest.loader.markdown import load_markdown
from ragspine_pg.ingest.loader.text import DEFAULT_MAX_TEXT_BYTES, load_text, read_bounded

__all__ = ["DEFAULT_MAX_TEXT_BYTES", "SourceProgress", "SourceSurvey", "load_text", "read_sources", "survey_sources"]

LISTED: Final = 20
"""How many bad files an error names; it counts the others."""

KEPT: Final = 1000
"""How many of the bad files a ``SourceProgress`` remembers with their reasons."""

_LOADERS = {"text": load_text, "markdown": load_markdown, "html": load_html}


@dataclass(frozen=True, slots=True)
class SourceSurvey:
    """What a call to ``read_sources`` would read: number of files, their bytes as stored, and what it would skip."""

    files: int
    size: int
    skipped: tuple[SkippedFile, ...]


def survey_sources(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> SourceSurvey:
    """Count without opening a file. Raises ``SourceRefused`` as ``read_sources`` does for a path it may not read."""
    skipped: list[SkippedFile] = []
    files = size = 0
    for source in find_sources(paths, on_skip=skipped.append):
        files += 1
        size += source.size
    return SourceSurvey(files, size, tuple(skipped))


@dataclass(slots=True)
class SourceProgress:
    """How far ``read_sources`` has come; it updates the one it was given.

    ``files`` are those read to their end and ``size`` their bytes as stored, ``documents`` those handed out,
    ``text_size`` the bytes read in all, unpacked, ``skipped`` what folders held besides. ``bad_count`` counts the files
    and lines of JSONL that are to be read and cannot be; ``bad`` says of the first ``KEPT`` which and why.
    """

    files: int = 0
    size: int = 0
    documents: int = 0
    text_size: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    bad: list[SkippedFile] = field(default_factory=list)
    bad_count: int = 0


def read_sources(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    replace_unstorable: bool = False,
    max_text_bytes: int = DEFAULT_MAX_TEXT_BYTES,
    skip_bad: bool = False,
    progress: SourceProgress | None = None,
) -> Iterator[Document]:
    """The documents of files and folders, one at a time: text, Markdown, HTML, JSONL, and ``.gz`` of each.

    A file's document id is its path below the named folder, with ``/``, or its name when it was named itself; its
    ``source_uri`` is its file URI. JSONL lines say their own id, title, metadata and rights. Files come in the order
    given, a folder's entries sorted by name. ``max_text_bytes`` bounds what is read of one file, or of one JSONL line,
    unpacked. ``replace_unstorable`` puts U+FFFD for a NUL or lone surrogate instead of refusing the document.

    A file that is named must be of a supported kind, or ``SourceRefused`` says what is supported. In a folder, hidden
    entries, other kinds of files, links to folders and links that leave the folder are skipped and listed in
    ``progress.skipped``. ``InvalidDocument``: not UTF-8, NUL, bad JSON, a damaged ``.gz``. Errors name the file and
    never quote it. Two documents of one id are not noticed here: the ingest has a rule for them (``on_duplicate``).

    After the first bad file, or bad line of JSONL, no more documents come, but the rest is read, so that the error
    names all that is bad. With ``skip_bad`` they are left out instead, and told in ``progress.bad``.
    """
    done = progress if progress is not None else SourceProgress()
    bad = _Bad(done, skip_bad)
    for source in find_sources(paths, on_skip=done.skipped.append, on_refuse=bad.note):
        try:
            for document in _read(source, replace_unstorable, max_text_bytes, done, bad):
                if bad.skips or not bad.count:
                    done.documents += 1
                    yield document
        except (InvalidDocument, SourceRefused) as error:
            bad.note(source.path, error)
            continue
        done.files += 1
        done.size += source.size
    bad.settle()


class _Bad:
    """What cannot be read, and what follows from it."""

    def __init__(self, done: SourceProgress, skips: bool) -> None:
        self.skips = skips
        self.count = 0
        self._done = done
        self._errors: list[IngestError] = []

    def note(self, path: Path, error: IngestError) -> None:
        """Remember a file, or a line of one."""
        self.count += 1
        self._done.bad_count += 1
        if len(self._done.bad) < KEPT:
            self._done.bad.append(SkippedFile(path, str(error)))
        if len(self._errors) < LISTED:
            self._errors.append(error)

    def settle(self) -> None:
        """Raise the one error there was, or one that says them all; nothing where they are skipped."""
        if self.skips or not self.count:
            return
        first = self._errors[0]
        if self.count == 1:
            raise first
        named = "; ".join(str(error) for error in self._errors)
        more = f"; and {self.count - LISTED} more" if self.count > LISTED else ""
        raise type(first)(f"{self.count} files or lines cannot be read: {named}{more}", **first.ids)


def _read(source: SourceFile, replace: bool, max_bytes: int, done: SourceProgress, bad: _Bad) -> Iterator[Document]:
    def count(size: int) -> None:
        done.text_size += size

    with open_source(source) as file:
        if source.format == "jsonl":
            yield from load_jsonl(
                source.document_id,
                file,
                max_bytes,
                replace_unstorable=replace,
                source_uri=source.uri,
                on_line=count,
                on_bad=lambda error: bad.note(source.path, error),
            )
            return
        data = read_bounded(source.document_id, file, max_bytes)
    count(len(data))
    loaded = _LOADERS[source.format](source.document_id, data, max_bytes, replace_unstorable=replace)
    yield Document(loaded.id, loaded.text, title=loaded.title, source_uri=source.uri, keep=KEEPABLE)
