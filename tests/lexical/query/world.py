"""Random libraries and random queries with operators, and what they come to, worked out in Python.

The oracle knows its own words, with the lexeme of each; it asks no database, and shares no code with the parser, the
scan or the check of phrases. A query is drawn as clauses and written down as a user would.
"""

import random
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from ragspine_pg import Document

K1, B, PIVOT = 1.2, 0.75, 6.0

ENGLISH: Mapping[str, str | None] = {
    "run": "run",
    "runs": "run",
    "running": "run",
    "runner": "runner",
    "boat": "boat",
    "boats": "boat",
    "carbon": "carbon",
    "carbonate": "carbon",
    "card": "card",
    "cards": "card",
    "care": "care",
    "fibre": "fibr",
    "Owl": "owl",
    "owls": "owl",
    "oak": "oak",
    "pg_dump": None,
    "elm": "elm",
    "the": None,
    "of": None,
    "in": None,
}
"""A word and its lexeme; None for a stop word. ``pg_dump`` is two words, see ``placed``."""

HAN = ["外币", "汇率", "换算", "币汇", "部署", "外", "go"]


@dataclass(frozen=True)
class Clause:
    """One clause: ``kind`` is words, phrase or prefix, ``occurs`` may, must or not."""

    occurs: str
    kind: str
    text: str

    def written(self, draw: random.Random) -> str:
        sign = {"may": "", "must": "+", "not": "-"}[self.occurs]
        if self.kind == "prefix":
            return f"{sign}{self.text}*"
        if self.kind == "phrase":
            marks = draw.choice(['""', "“”", "„“", "«»"])
            return f"{sign}{marks[0]}{self.text}{marks[1]}"
        return sign + self.text


@dataclass(frozen=True)
class Language:
    """How texts of a world are written and analysed: ``placed`` gives lexemes (None for a stop word) in their order."""

    analyzer: str
    words: Sequence[str]
    hidden: str
    gap: str = " "

    def text(self, draw: random.Random, number: int) -> str:
        return self.gap.join(draw.choices(self.words, k=number))

    def placed(self, text: str) -> list[str | None]:
        if self.analyzer == "english":
            parts = [part for word in text.split() for part in word.split("_")]
            return [ENGLISH.get(part, part) for part in parts]
        found: list[str | None] = []
        for run in re.findall(r"[a-z]+|[^a-z\s]+", text):
            bigrams = not run.isascii() and len(run) > 1
            found += [run[n : n + 2] for n in range(len(run) - 1)] if bigrams else [run]
        return found


LANGUAGES = {
    "english": Language("english", [*ENGLISH, "boat", "oak", "carbon"], hidden="zebra"),
    "cjk": Language("cjk", HAN, hidden="秘密", gap=""),
}


@dataclass
class World:
    """Documents of one chunk each, and who may read them."""

    language: Language
    documents: dict[str, Document] = field(default_factory=dict)

    def readable(self, principals: set[str]) -> dict[str, Document]:
        return {
            name: found
            for name, found in self.documents.items()
            if found.readers is None or set(found.readers) & principals
        }

    def find(self, clauses: Sequence[Clause], principals: set[str], *, least: int = 0) -> dict[str, float]:
        """The documents found, with their scores; of those alone whose ``n`` is at least ``least``."""
        chunks = {name: _Chunk(self.language, found) for name, found in self.readable(principals).items()}
        holders: dict[str, int] = {}
        for chunk in chunks.values():
            for lexeme in chunk.bag:
                holders[lexeme] = holders.get(lexeme, 0) + 1

        def idf(count: int) -> float:
            return log(1 + (len(chunks) - count + 0.5) / (count + 0.5))

        weights: dict[str, float] = {}
        tests = []
        for clause in clauses:
            placed = self.language.placed(clause.text)
            lexemes = [lexeme for lexeme in placed if lexeme is not None]
            if clause.kind == "prefix" and len(lexemes) <= 1:
                group = {lexeme for lexeme in holders if lexeme.startswith(clause.text.lower())}
                group |= {lexeme for lexeme in lexemes if lexeme in holders}
                for lexeme in group if clause.occurs != "not" else ():
                    weights[lexeme] = weights.get(lexeme, 0.0) + idf(max(holders[one] for one in group))
                tests.append((clause.occurs, _any_of(group)))
                continue
            for lexeme in lexemes if clause.occurs != "not" else ():
                if lexeme in holders:
                    weights[lexeme] = weights.get(lexeme, 0.0) + idf(holders[lexeme])
            if lexemes and clause.occurs == "may" and clause.kind == "phrase":
                if all(lexeme in holders for lexeme in lexemes):
                    tests.append(("must", _in_a_row(placed)))
            elif lexemes:
                tests.append((clause.occurs, _in_a_row(placed)))
        found = {}
        for name, chunk in chunks.items():
            passes = all(occurs == "may" or test(chunk) == (occurs == "must") for occurs, test in tests)
            score = sum(weight * chunk.impact(lexeme) for lexeme, weight in sorted(weights.items()))
            if passes and score > 0 and self.documents[name].metadata["n"] >= least:
                found[name] = score
        return found

    def passing(self, clauses: Sequence[Clause], principals: set[str], *, least: int = 0) -> set[str]:
        """The documents that meet the demands, whatever they score; none where the query looks for nothing."""
        said = self._said(clauses)
        if said and not any(said):
            return set()
        every = Clause("may", "prefix", "")
        return set(self.find([*clauses, every], principals, least=least))

    def reason(self, clauses: Sequence[Clause], principals: set[str]) -> str:
        """Why nothing is found."""
        chunks = [_Chunk(self.language, found) for found in self.readable(principals).values()]
        for clause in clauses:
            lexemes = [lexeme for lexeme in self.language.placed(clause.text) if lexeme is not None]
            if clause.occurs != "must":
                continue
            if clause.kind == "prefix" and len(lexemes) <= 1:
                starts = clause.text.lower()
                if not any(one.startswith(starts) or one in lexemes for chunk in chunks for one in chunk.bag):
                    return "required_term_missing"
            elif any(not any(lexeme in chunk.bag for chunk in chunks) for lexeme in lexemes):
                return "required_term_missing"
        said = self._said(clauses)
        return "no_match" if any(said) else "only_exclusions" if said else "no_searchable_term"

    def _said(self, clauses: Sequence[Clause]) -> list[bool]:
        """Whether each clause that says anything looks for it."""
        return [one.occurs != "not" for one in clauses if one.kind == "prefix" or any(self.language.placed(one.text))]


class _Chunk:
    def __init__(self, language: Language, document: Document) -> None:
        self.parts = [language.placed(document.title), language.placed(document.text)]
        lexemes = [lexeme for part in self.parts for lexeme in part if lexeme is not None]
        self.bag = {lexeme: lexemes.count(lexeme) for lexeme in lexemes}
        self.rest = K1 * (1 - B + B * len(lexemes) / PIVOT)

    def impact(self, lexeme: str) -> float:
        frequency = self.bag.get(lexeme, 0)
        return array("f", [frequency / (frequency + self.rest)])[0]


def _any_of(group: set[str]):  # type: ignore[no-untyped-def]
    return lambda chunk: not group.isdisjoint(chunk.bag)


def _in_a_row(placed: Sequence[str | None]):  # type: ignore[no-untyped-def]
    first = next(n for n, lexeme in enumerate(placed) if lexeme is not None)
    last = max(n for n, lexeme in enumerate(placed) if lexeme is not None)
    inner = placed[first : last + 1]  # stop words at its ends say nothing

    def test(chunk: _Chunk) -> bool:
        return any(
            all(one is None or one == other for one, other in zip(inner, part[start:], strict=False))
            for part in chunk.parts
            for start in range(len(part) - len(inner) + 1)
        )

    return test


def draw_world(language: Language, draw: random.Random, number: int) -> World:
    world = World(language)
    for n in range(number):
        readers = draw.choice([None, None, {"group:x"}, {"group:y"}, set()])
        title = language.text(draw, 2) if n % 2 else ""
        text = language.text(draw, draw.randint(1, 9))
        if readers == set():
            text += language.gap + language.hidden  # a word that nobody knows of
        world.documents[f"d{n}"] = Document(f"d{n}", text, title=title, metadata={"n": n}, readers=readers)
    return world


def draw_query(language: Language, draw: random.Random) -> tuple[list[Clause], str]:
    """Clauses, and the query that says them."""
    clauses = []
    for _ in range(draw.randint(1, 4)):
        occurs = draw.choice(["may", "may", "may", "must", "not"])
        kind = draw.choice(["words", "words", "phrase", "prefix"])
        words = [*language.words, language.hidden]
        if kind == "phrase":
            text = language.text(draw, draw.randint(1, 3))
            if draw.random() < 0.1:
                text += language.gap + language.hidden
        elif kind == "prefix":
            word = draw.choice([word for word in words if "_" not in word])
            text = word[: draw.randint(1 if language.analyzer == "cjk" and word != "go" else 2, len(word))]
        else:
            text = draw.choice(words)
        clauses.append(Clause(occurs, kind, text))
    return clauses, " ".join(clause.written(draw) for clause in clauses)


def draw_queries(language: Language, draw: random.Random, number: int) -> Iterator[tuple[list[Clause], str]]:
    for _ in range(number):
        yield draw_query(language, draw)
