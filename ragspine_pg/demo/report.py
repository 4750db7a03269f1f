"""What the tour shows: numbered steps, passages with their citations, and checks that can fail."""

import sys
from io import TextIOWrapper

from rich.console import Console
from rich.text import Text

from ragspine_pg.contract.result import Hit

_PLAIN_WIDTH = 120
_SHOWN_LINES = 2  # of a passage


class Report:
    """Writes to a terminal with colours, and anywhere else as plain lines; remembers whether every check held."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console if console is not None else _standard_output()
        self._step = 0
        self.held = 0
        self.violated: list[str] = []

    def step(self, shows: str) -> None:
        """Begin a step; ``shows`` says in one line what it shows."""
        self._step += 1
        self._console.print()
        self.line(f"{self._step}. {shows}", style="bold cyan", indent=0)

    def line(self, text: str, *, style: str = "", indent: int = 3, at_most: int | None = None) -> None:
        """A line, wrapped where the screen is narrower, on ``at_most`` lines of it."""
        # A Text is never read as markup, whatever a document says.
        wrapped = Text(text).wrap(self._console, max(20, self._console.width - indent))
        for shown in wrapped[:at_most]:
            self._console.print(Text(" " * indent + shown.plain.rstrip(), style=style))
        if at_most is not None and len(wrapped) > at_most:
            self._console.print(Text(" " * indent + "[...]", style="dim"))

    def excerpt(self, text: str, *, at_most: int = _SHOWN_LINES) -> None:
        """The beginning of a passage."""
        self.line(" ".join(text.split()), indent=6, at_most=at_most)

    def asked(self, who: str, query: str) -> None:
        """Who asks what."""
        self.line(f"{who} asks: {query}", style="bold")

    def hits(self, hits: tuple[Hit, ...]) -> None:
        """Each passage with its citation: title, document id, and the locator that anyone can verify."""
        for hit in hits:
            self.line(f"{hit.rank}  {hit.score:.3f}  {hit.title}", style="green")
            span, digest = hit.locator.split(";")
            self.line(
                f"{hit.tenant}/{hit.library_id}/{hit.document_id}  {span}  {digest[:15]}..", indent=6, style="dim"
            )
            self.excerpt(hit.text)

    def ranking(self, name: str, hits: tuple[Hit, ...]) -> None:
        """The order of a ranking alone, with each hit's rank in every leg."""
        self.line(name, style="green")
        for hit in hits:
            ranks = ", ".join(f"{rank} by {leg}" for leg, rank in hit.ranks.items())
            self.line(f"{hit.rank}  {hit.score:.3f}  {hit.title} ({ranks})", indent=6, at_most=1)

    def check(self, claim: str, holds: bool) -> None:
        """Say whether ``claim`` holds; one that does not fails the tour."""
        if holds:
            self.held += 1
            self.line(f"ok: {claim}", style="dim green")
        else:
            self.violated.append(claim)
            self.line(f"VIOLATED: {claim}", style="bold red")


def _standard_output() -> Console:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode shows ? and the tour goes on
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)
