"""Stage authorise: which files may be read, and as what, decided before any body is opened."""

import gzip
import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ragspine_pg.errors import SourceRefused

FORMATS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""What a file's suffix says it is, in any case, with or without ``.gz`` behind it."""

_MAX_ID_BYTES = 1024  # the store's bound on a document id


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that may be read. ``document_id`` is its path below the folder it was found in, or its name alone.

    ``path`` is the file as it was named, ``real_path`` what is opened (no symbolic link is left in it). ``size`` in
    bytes, as stored.
    """

    document_id: str
    path: Path
    real_path: Path
    format: str
    is_gzip: bool
    size: int

    @property
    def uri(self) -> str:
        """The file URI of the path as it was named."""
        return self.path.absolute().as_uri()


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder inside a named folder that is not read, and why: one of the ``reason`` texts below."""

    path: Path
    reason: str


UNSUPPORTED = "its suffix is not one that is read"
HIDDEN = "hidden"
LINK_OUT = "a symbolic link that leads out of the folder, or nowhere"
LINKED_FOLDER = "a symbolic link to a folder"
NOT_REGULAR = "not a regular file"


def find_sources(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    on_skip: Callable[[SkippedFile], None] | None = None,
    on_refuse: Callable[[Path, SourceRefused], None] | None = None,
) -> Iterator[SourceFile]:
    """The files that ``paths`` (files and folders) stand for, in the order given, a folder's entries sorted by name.

    A named file must be a regular file of a supported kind; anything else raises ``SourceRefused``, which says what is
    supported. A symbolic link that is named itself is followed. Inside a folder, hidden entries, files of other kinds,
    links to folders and links that leave the folder are skipped and told to ``on_skip``; a link to a file inside the
    folder is read under its own name. ``on_refuse`` is told of what would raise, which is then left out.
    """
    for path in _paths(paths):
        try:
            yield from _find(path, on_skip or _ignore, on_refuse)
        except SourceRefused as refused:
            if on_refuse is None:
                raise
            on_refuse(path, refused)


def _ignore(_: SkippedFile) -> None:
    """Nobody asks."""


def _find(
    path: Path,
    on_skip: Callable[[SkippedFile], None],
    on_refuse: Callable[[Path, SourceRefused], None] | None,
) -> Iterator[SourceFile]:
    try:
        real = path.resolve(strict=True)
        status = real.stat()
    except (OSError, RuntimeError) as error:
        raise SourceRefused(f"{_shown(path)} cannot be read: {_why(error)}", source=_shown(path)) from None
    if stat.S_ISDIR(status.st_mode):
        yield from _walk(path, real, PurePosixPath(), on_skip, on_refuse)
        return
    format, is_gzip = _format_of(path.name)
    if format is None:
        raise SourceRefused(
            f"{_shown(path)} is of a kind that is not read; supported are {', '.join(FORMATS)}, each also with .gz",
            source=_shown(path),
        )
    if not stat.S_ISREG(status.st_mode):
        raise SourceRefused(f"{_shown(path)} is {NOT_REGULAR}", source=_shown(path))
    yield SourceFile(_document_id(path, path.name), path, real, format, is_gzip, status.st_size)


def _paths(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    if isinstance(paths, str | os.PathLike):
        return [Path(paths)]
    return [Path(path) for path in paths]


def _walk(
    folder: Path,
    root: Path,
    below: PurePosixPath,
    on_skip: Callable[[SkippedFile], None],
    on_refuse: Callable[[Path, SourceRefused], None] | None,
) -> Iterator[SourceFile]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        refused = SourceRefused(f"{_shown(folder)} cannot be read: {_why(error)}", source=_shown(folder))
        if on_refuse is None:
            raise refused from None
        on_refuse(folder, refused)
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith("."):
            on_skip(SkippedFile(path, HIDDEN))
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, below / entry.name, on_skip, on_refuse)
        else:
            try:
                found_file = _examine(path, root, below / entry.name)
            except SourceRefused as refused:
                if on_refuse is None:
                    raise
                on_refuse(path, refused)
                continue
            if isinstance(found_file, SkippedFile):
                on_skip(found_file)
            else:
                yield found_file


def _examine(path: Path, root: Path, below: PurePosixPath) -> SourceFile | SkippedFile:
    try:
        real = path.resolve(strict=True)
        status = real.stat()
    except (OSError, RuntimeError):
        return SkippedFile(path, LINK_OUT)
    if not real.is_relative_to(root):
        return SkippedFile(path, LINK_OUT)
    if stat.S_ISDIR(status.st_mode):
        return SkippedFile(path, LINKED_FOLDER)
    if not stat.S_ISREG(status.st_mode):
        return SkippedFile(path, NOT_REGULAR)
    format, is_gzip = _format_of(path.name)
    if format is None:
        return SkippedFile(path, UNSUPPORTED)
    return SourceFile(_document_id(path, str(below)), path, real, format, is_gzip, status.st_size)


def _format_of(name: str) -> tuple[str | None, bool]:
    lowered = name.lower()
    is_gzip = lowered.endswith(".gz")
    suffix = os.path.splitext(lowered.removesuffix(".gz"))[1]
    return FORMATS.get(suffix), is_gzip


def _document_id(path: Path, written: str) -> str:
    try:
        if len(written.encode()) <= _MAX_ID_BYTES:
            return written
    except UnicodeEncodeError:
        raise SourceRefused(f"{_shown(path)} has a name that is not UTF-8: rename it", source=_shown(path)) from None
    raise SourceRefused(f"{_shown(path)} has a path of more than {_MAX_ID_BYTES} bytes", source=_shown(path))


def open_source(source: SourceFile) -> BinaryIO:
    """Open an authorised file for reading, unpacked if it is ``.gz``.

    Raises ``SourceRefused`` when it is gone, unreadable, or no longer the regular file that was authorised.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # never hang on a pipe put in its place
    try:
        descriptor = os.open(source.real_path, flags)
    except OSError as error:
        raise SourceRefused(f"{source.document_id} cannot be read: {_why(error)}", source=source.document_id) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceRefused(f"{source.document_id} is {NOT_REGULAR}", source=source.document_id)
    file = os.fdopen(descriptor, "rb")
    return io.BufferedReader(_Unpacked(file)) if source.is_gzip else file


class _Unpacked(gzip.GzipFile):
    """A gzip stream that closes the file under it."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(fileobj=file, mode="rb")
        self._file = file

    def close(self) -> None:
        super().close()
        self._file.close()


def _why(error: OSError | RuntimeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "a symbolic link that leads in a circle"


def _shown(path: Path) -> str:
    """The path for a message; bytes that are no UTF-8 are escaped."""
    return str(path).encode(errors="backslashreplace").decode()
