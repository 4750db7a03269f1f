"""Fenced code blocks of a Markdown page, found by a Markdown parser."""

from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt


@dataclass(frozen=True)
class Block:
    """A fenced block; ``line`` counts from 1 in its page."""

    language: str
    line: int
    code: str


def blocks(page: Path, language: str) -> list[Block]:
    """The blocks of ``page`` in ``language``, in order."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    return [
        Block(language, token.map[0] + 1, token.content)
        for token in tokens
        if token.type == "fence" and token.info.split(" ")[:1] == [language] and token.map is not None
    ]
