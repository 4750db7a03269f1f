"""How far a long call is, on stderr: a bar on a terminal, plain lines now and then elsewhere."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from ragspine_pg.cli.failure import say
from ragspine_pg.cli.terminal import messages
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.ingest.authorise import SkippedFile, find_sources
from ragspine_pg.ingest.source import SourceProgress, read_sources

_PAUSE_SECONDS: Final = 2.0
_UNITS: Final = {
    "read": "documents",
    "documents": "documents",
    "verify": "documents",
    "index": "documents",
    "search": "queries",
    "seal": "chunks",
}


class Sources:
    """The files of a call: their documents, and how much of them has been read."""

    def __init__(self, paths: Iterable[Path], *, skip_bad: bool = False) -> None:
        """Look at every path; no file is opened yet."""
        self._paths = list(paths)
        self.skips_bad = skip_bad
        self._read = SourceProgress()
        refused: list[Path] = []
        found = list(find_sources(self._paths, on_refuse=lambda path, _: refused.append(path)))
        self._refused = bool(refused)
        # What is packed says nothing about how long it is.
        self._size = 0 if any(source.is_gzip for source in found) else sum(source.size for source in found)

    def documents(self) -> Iterator[Document]:
        """Read them, once; raises ``SourceRefused`` and ``InvalidDocument`` unless what is bad is skipped."""
        return read_sources(self._paths, skip_bad=self.skips_bad, progress=self._read)

    def require(self) -> None:
        """Raise what ``documents`` would in the end, where a path alone shows that it would."""
        if self._refused and not self.skips_bad:
            for _ in self.documents():
                pass

    @property
    def bad(self) -> list[SkippedFile]:
        """What cannot be read: the first thousand of it."""
        return self._read.bad

    @property
    def bad_count(self) -> int:
        """How many files, or lines of JSONL, cannot be read."""
        return self._read.bad_count

    @property
    def skipped(self) -> list[SkippedFile]:
        """What folders held besides."""
        return self._read.skipped

    @property
    def share(self) -> float | None:
        """The share of bytes that has been read, from 0 to 1; None where it cannot be known."""
        return min(1.0, self._read.text_size / self._size) if self._size else None


class Shown(Protocol):
    """Takes progress and shows it. ``committing``: nothing is left to do but to commit."""

    committing: bool

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


@contextmanager
def shown_progress(sources: Sources | None = None) -> Iterator[Shown]:
    """A ``Shown`` that fits stderr, closed at the end."""
    shown: Shown = _Bar(sources) if messages().is_terminal else _Lines(sources)
    try:
        yield shown
    finally:
        shown.close()


class _Lines:
    def __init__(self, sources: Sources | None) -> None:
        self.committing = False
        self._sources = sources
        self._next = time.monotonic() + _PAUSE_SECONDS

    def __call__(self, progress: Progress) -> None:
        self.committing = _is_last(progress)
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PAUSE_SECONDS
        unit = _UNITS.get(progress.stage, "")
        of = f" of {progress.total:,}" if progress.total else ""
        parts = [f"{progress.stage}: {progress.done:,}{of} {unit}".rstrip()]
        if progress.rate:
            parts.append(f"{progress.rate:,.0f}/s")
        if (share := _share(progress, self._sources)) is not None:
            parts.append(f"{share:.0%}")
            if progress.rate and share:
                parts.append(f"{_clock(progress.done / progress.rate * (1 - share) / share)} left")
        say(", ".join(parts))

    def close(self) -> None:
        """Nothing is held."""


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.fields['rate']:,.0f}/s" if task.fields["rate"] else "", style="cyan")


class _Bar:
    def __init__(self, sources: Sources | None) -> None:
        self.committing = False
        self._sources = sources
        self._stage = ""
        self._task: TaskID | None = None
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[count]}", markup=False),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=messages(),
            transient=True,
        )
        self._bar.start()

    def __call__(self, progress: Progress) -> None:
        self.committing = _is_last(progress)
        if self._task is None or progress.stage != self._stage:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._stage = progress.stage
            self._task = self._bar.add_task(progress.stage, total=None, count="", rate=0.0)
        share = _share(progress, self._sources)
        of = f"/{progress.total:,}" if progress.total else ""
        self._bar.update(
            self._task,
            total=None if share is None else 1.0,
            completed=share or 0.0,
            count=f"{progress.done:,}{of}",
            rate=progress.rate,
        )

    def close(self) -> None:
        self._bar.stop()


def _share(progress: Progress, sources: Sources | None) -> float | None:
    if progress.total:
        return progress.done / progress.total
    return sources.share if sources is not None and progress.stage == "read" else None


def _is_last(progress: Progress) -> bool:
    return progress.stage == "fold" or (progress.stage in {"verify", "seal"} and progress.done == progress.total)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
