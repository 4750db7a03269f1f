"""How much of a text is read: what a long document costs must not grow with the square of its length."""

import sys
from collections.abc import Callable
from typing import SupportsIndex

import pytest

from ragspine_pg.chunking.boundary import split_sentences
from ragspine_pg.chunking.laws import _continues
from ragspine_pg.chunking.section import BlockKind

LINES = [f"{number}. Item number {number} goes on" for number in range(1, 400)]


class Counted(str):
    """A text that counts what searches from the end have read."""

    read = 0

    def rfind(self, sign: str, start: SupportsIndex | None = 0, end: SupportsIndex | None = sys.maxsize) -> int:
        found = super().rfind(sign, start, end)
        self.read += min(int(end or 0), len(self)) - max(found, int(start or 0))
        return found


def by_sentences(text: Counted, start: int, end: int) -> None:
    list(split_sentences(text, start, end, BlockKind.PARAGRAPH))


def by_articles(text: Counted, start: int, end: int) -> None:
    _continues(text, start)


@pytest.mark.parametrize("look", [by_sentences, by_articles])
def test_a_line_is_looked_for_no_further_than_it_begins(look: Callable[[Counted, int, int], None]) -> None:
    text = Counted("\n".join(LINES))
    start = 0
    for line in LINES:
        look(text, start, start + len(line))
        start += len(line) + 1
    assert text.read <= 5 * len(text)
