"""The texts that are searched, and the queries: given, drawn from texts held out, and the most frequent words."""

import json
import lzma
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lexical.search_latency import made_up

ROOT = Path(__file__).resolve().parents[3]
HELD_OUT = 150
FREQUENT = 30
PASSES = 6  # over the chunks, for a million of them

# As in the queries given, which hold words of three letters and more and no short function words.
_WORD = re.compile(r"[a-z]{3,}")
_SHORT = "and are can for from had has have into not onto that the this was were will with"
_FUNCTION_WORDS = frozenset(_SHORT.split())


@dataclass(frozen=True)
class Manuals:
    """The chunks in order, numbers of those that are held out, and the queries given."""

    name: str
    texts: Sequence[str]
    held_out: frozenset[int]
    given: Sequence[str]

    @property
    def size(self) -> int:
        """How many chunks can be searched."""
        return len(self.texts) - len(self.held_out)

    def chosen(self, number: int | None) -> list[str]:
        """All that can be searched, or a sample of ``number``, in order: a prefix would be of one manual alone."""
        searched = [text for n, text in enumerate(self.texts) if n not in self.held_out]
        if number is None or number >= len(searched):
            return searched
        return [searched[n] for n in sorted(random.Random(17).sample(range(len(searched)), number))]

    def million(self) -> Iterator[str]:
        """The recombination of SOURCE.md, less each chunk with a half of one that is held out.

        Six passes over the chunks, the first as they are; in each further one chunk i is the first half (by words) of
        chunk i and the second half of a randomly permuted chunk.
        """
        yield from self.chosen(None)
        halves = []
        for text in self.texts:
            words = text.split()
            middle = len(words) // 2
            halves.append((" ".join(words[:middle]), " ".join(words[middle:])))
        draw = random.Random(3)  # as random.seed(3)
        for _ in range(PASSES - 1):
            other = list(range(len(halves)))
            draw.shuffle(other)
            for first, second in enumerate(other):
                if first not in self.held_out and second not in self.held_out:
                    yield f"{halves[first][0]} {halves[second][1]}"

    def drawn(self) -> list[str]:
        """A query of each chunk that is held out, as the given ones were made.

        One to eight words, in order, of a window of ten: of its words of three letters and more but function words. The
        first window in a hundred that has as many, else the last.
        """
        draw = random.Random(29)
        queries = []
        for number in sorted(self.held_out):
            words = self.texts[number].split()
            wanted, told, tries = draw.randint(1, 8), list[str](), 0
            while len(told) < (wanted if tries < 100 else 1):
                start = draw.randrange(max(1, len(words) - 9))
                window = _WORD.findall(" ".join(words[start : start + 10]).lower())
                told = [word for word in window if word not in _FUNCTION_WORDS]
                tries += 1
            kept = sorted(draw.sample(range(len(told)), min(len(told), wanted)))
            queries.append(" ".join(told[at] for at in kept))
        return queries


def manuals() -> Manuals:
    """The manuals of ``RAGSPINE_DATASETS`` or of ``../shared/datasets``, else made-up text and a line that says so."""
    folder = Path(os.environ.get("RAGSPINE_DATASETS") or ROOT.parent / "shared/datasets") / "manuals"
    if not folder.is_dir():
        print(f"no manuals in {folder.parent} (RAGSPINE_DATASETS): made-up text instead")
        corpus = made_up(20_000 + HELD_OUT)
        last = range(20_000, 20_000 + HELD_OUT)
        return Manuals(
            "made-up", [document.text for document in corpus.documents], frozenset(last), corpus.queries[:150]
        )
    with lzma.open(folder / "corpus.tsv.xz", "rt", encoding="utf-8") as lines:
        texts = [line.rstrip("\n").split("\t", 1)[1] for line in lines]
    worded = [n for n, text in enumerate(texts) if len(set(_WORD.findall(text.lower())) - _FUNCTION_WORDS) >= 20]
    held_out = frozenset(random.Random(23).sample(worded, HELD_OUT))
    return Manuals("manuals", texts, held_out, json.loads((folder / "queries.json").read_text(encoding="utf-8")))


def frequent_words(texts: Sequence[str], analysed: Callable[[Mapping[str, str]], Mapping[str, list[str]]]) -> list[str]:
    """The words of the most frequent lexemes that are no stop words, most frequent first.

    ``analysed`` gives the lexemes of texts by name. Counted in a sample of 20,000 chunks; of a lexeme's words the most
    frequent one stands for it.
    """
    sample = random.Random(31).sample(range(len(texts)), min(len(texts), 20_000))
    counts = Counter(word for n in sample for word in set(_WORD.findall(texts[n].lower())))
    words = [word for word, _ in counts.most_common(20 * FREQUENT)]
    lexemes = analysed({word: word for word in words})
    total: Counter[str] = Counter()
    named: dict[str, str] = {}
    for word in words:
        if len(lexemes[word]) == 1:
            total[lexemes[word][0]] += counts[word]
            named.setdefault(lexemes[word][0], word)
    return [named[lexeme] for lexeme, _ in total.most_common(FREQUENT)]


def query_sets(source: Manuals, words: Sequence[str]) -> dict[str, list[str]]:
    """The queries by set: what is given, what is drawn, and the frequent words alone, in pairs and in threes."""
    draw = random.Random(37)
    return {
        "given": list(source.given),
        "drawn": source.drawn(),
        "frequent": list(words),
        "frequent pairs": [" ".join(draw.sample(words, 2)) for _ in words],
        "frequent threes": [" ".join(draw.sample(words, 3)) for _ in words],
    }
