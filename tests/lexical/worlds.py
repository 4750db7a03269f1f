"""Random worlds: libraries of some thousand chunks with a history, and queries for them."""

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ragspine_pg import Document
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.ingest import pipeline
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf
from tests.lexical.sealed import EVERYTHING

CALLERS = [["user:any"], ["group:x"], ["group:y", "group:z"], ["group:x", "group:y", "group:z"]]
READERS: Sequence[tuple[str, ...] | None] = (None, None, None, ("group:x",), ("group:y",), ("group:x", "group:z"), ())
LABELS = (*[Sensitivity.INTERNAL] * 6, Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED)


class World:
    """A library, and what is drawn for it.

    How many words there are, how unevenly they are used, how long texts are, how many of them are alike, who reads
    them, and what happened since: ingests, seals, relabels, deletes, new editions, in any order.
    """

    def __init__(self, database: Database, seed: int, documents: int) -> None:
        self._draw = draw = random.Random(seed)
        self._words = [
            f"{draw.choice('abcdefgh')}{draw.choice('aeiou')}{n}" for n in range(draw.choice([20, 200, 2000]))
        ]
        slope = draw.choice([0.6, 1.0, 1.5])
        self._weights = list(accumulate(1 / (n + 2) ** slope for n in range(len(self._words))))
        self._longest = draw.choice([3, 8, 40])
        self._alike = draw.choice([0.0, 0.1, 0.5])
        self._texts: list[str] = []
        self.shelf = Shelf(
            database,
            analyzer=draw.choice(["simple", "english"]),
            fields={"n": "number"},
            statistics=draw.choice(["class", "class", "library"]),
            profile={
                "k1": draw.choice([0.5, 0.9, 1.2, 2.0]),
                "b": draw.choice([0.0, 0.4, 0.75, 1.0]),
                "pivot": draw.choice([2.0, 7.0, 30.0]),
            },
            chunker_options={"size": draw.choice([30, 60, 200])},
        )
        self._history(documents)

    def _document(self, n: int) -> Document:
        draw = self._draw
        if self._texts and draw.random() < self._alike:
            text = draw.choice(self._texts)
        else:
            paragraphs = draw.randint(1, 12)
            text = "\n\n".join(self._text(draw.randint(1, self._longest)) for _ in range(paragraphs))
            self._texts.append(text)
        return Document(
            f"d{n}",
            text,
            readers=draw.choice(READERS),
            sensitivity=draw.choice(LABELS),
            metadata={"n": draw.randrange(1000), "m": draw.randrange(1000)},
        )

    def _text(self, words: int) -> str:
        return " ".join(self._draw.choices(self._words, cum_weights=self._weights, k=words))

    def _history(self, documents: int) -> None:
        draw, stored = self._draw, list[int]()
        while len(stored) < documents:
            lot = list(range(len(stored), min(documents, len(stored) + draw.randint(documents // 10, documents // 2))))
            self.shelf.ingest_all([self._document(n) for n in lot])
            stored += lot
            if draw.random() < 0.6:
                self.shelf.run(pipeline.optimize(self.shelf.tenant, self.shelf.library))
            for n in draw.sample(stored, len(stored) // 20):
                act = draw.choice(["relabel", "relabel", "delete", "again"])
                if act == "delete":
                    self.shelf.delete(f"d{n}")
                elif act == "again":
                    self.shelf.ingest(self._document(n))
                elif self.shelf.owner(_STORED, id=f"d{n}"):
                    self.shelf.relabel(f"d{n}", readers=draw.choice(READERS), sensitivity=draw.choice(LABELS))

    def query(self) -> str:
        """One to eight words, some said twice or known to nobody; and now and then an operator."""
        draw = self._draw
        words = self._text(draw.randint(1, 8)).split()
        if draw.random() < 0.15:
            words += [words[0], "nobody"]
        if draw.random() < 0.3:
            told = draw.choice(self._texts).split()
            at = draw.randrange(len(told))
            phrase = '"' + " ".join(told[at : at + draw.randint(2, 3)]) + '"'
            some = self._text(1)
            words.append(draw.choice([phrase, f"-{phrase}", f"+{some}", f"-{some}", f"{some[:2]}*", f"+{some[:2]}*"]))
        draw.shuffle(words)
        return " ".join(words)

    def filters(self) -> list[str | None]:
        """None, and one: of the declared field or of the other, that passes many or few."""
        field, value = self._draw.choice("nm"), self._draw.choice([1000, 500, 100, 10, 1])
        return [None, self._draw.choice([EVERYTHING, f'{{"field": "{field}", "op": "lt", "value": {value}}}'])]

    def k(self) -> int:
        """How many are asked for."""
        return self._draw.choice([1, 3, 10, 100, 1000])

    def caller(self) -> list[str]:
        """Who asks."""
        return self._draw.choice(CALLERS)


_STORED = """
SELECT FROM ragspine.document AS d JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %(tenant)s AND d.document_id = %(id)s
"""


def shapes(shelf: Shelf) -> dict[str, Any]:
    """How a world is sealed: segments, runs, and chunks in tails."""
    [(segments, runs, tail)] = shelf.owner(
        """
        SELECT count(*)::int, count(DISTINCT (s.acl_class_no, s.run_no))::int,
               (SELECT count(*)::int FROM ragspine.lexical_tail AS l
                 WHERE l.tenant_no = (SELECT t.tenant_no FROM ragspine.tenant AS t WHERE t.tenant = %(tenant)s))
          FROM ragspine.posting_segment AS s JOIN ragspine.tenant AS t USING (tenant_no)
         WHERE t.tenant = %(tenant)s
        """
    )
    return {"segments": segments, "runs": runs, "tail": tail}
