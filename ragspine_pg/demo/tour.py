"""The tour that ``ragspine-pg demo`` gives: one question, three callers, and what each of them may see.

It checks itself. Every passage is compared with the corpus's own files and rights, so that one that the caller may not
read, or that is not the source's own words, ends the tour with exit status 1.
"""

import time

from rich.console import Console

from ragspine_pg.client import RagSpine
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.locator import Locator
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.demo.asking import Asking
from ragspine_pg.demo.callers import FRED, GINA, MIA, WHO
from ragspine_pg.demo.filling import fill
from ragspine_pg.demo.meaning import say_how, show_meaning
from ragspine_pg.demo.report import Report
from ragspine_pg.demo.vectors import demo_model

QUESTION = "How long can I return an order?"

_STAFF_ONLY = "returns-desk-guide"
_RESTRICTED = "incident-returns-2024"


def run_tour(spine: RagSpine, *, console: Console | None = None) -> int:
    """Give the tour on ``spine``, which needs the write authority too; the exit status: 0, or 1 when a check failed.

    Where the extra ``local`` is installed, the libraries have vectors, and steps with them follow.

    Safe to run again: libraries that exist are kept, unless the extra came or went since; documents that did not change
    are not written.
    """
    began = time.monotonic()
    report = Report(console)
    tour = _Tour(spine, report)
    model = demo_model()
    fill(tour, model)
    tour.ask_as_three_callers()
    tour.check_a_citation()
    tour.filter_by_metadata()
    tour.read_the_parent_window()
    tour.explain()
    tour.ask_in("Italian", "manuale", "Entro quanti giorni posso restituire un ordine?", "resi")
    tour.ask_in("Chinese", "shouce", "退货期限是多少天？", "tuihuo")
    tour.ask_in("Japanese", "tebiki", "返品できる期間は何日ですか", "henpin")
    if model is None:
        say_how(tour)
    else:
        show_meaning(tour, QUESTION)
    report.line("")
    if report.violated:
        report.line(f"{len(report.violated)} checks VIOLATED, {report.held} held.", style="bold red", indent=0)
        return 1
    seconds = time.monotonic() - began
    report.line(f"All {report.held} checks held, in {seconds:.1f} seconds.", style="bold green", indent=0)
    report.line(
        "Ask yourself: ragspine-pg search demo-acme/handbook 'who pays for a late return' --as group:staff", indent=0
    )
    return 0


class _Tour(Asking):
    def ask_as_three_callers(self) -> None:
        self.report.step("The same question by three callers: each gets the passages it may read, and no others.")
        self.ask(QUESTION, MIA, "handbook", k=3)
        self.ask(QUESTION, FRED, "handbook", k=3)
        self.ask(QUESTION, GINA, "handbook", k=2)
        # The screen shows a few; absence is checked on everything that each caller can find in all its libraries.
        found = {who: {hit.document_id for hit in self.search(QUESTION, who).hits} for who in WHO}
        check = self.report.check
        check("Mia finds the staff's guide to the returns desk", _STAFF_ONLY in found[MIA])
        check("Fred, who is no staff, does not find it at any rank", _STAFF_ONLY not in found[FRED])
        check("nor does Gina, whose group has the same name in another company", _STAFF_ONLY not in found[GINA])
        incident = self.libraries["demo-acme", "handbook"].document(_RESTRICTED)
        check(
            "the incident report is RESTRICTED: full of the question's words, and found by nobody it names as reader",
            QUESTION.removesuffix(" I return an order?") in incident.text
            and incident.readers is not None
            and not incident.readers.isdisjoint(MIA.principals)
            and not incident.readers.isdisjoint(FRED.principals)
            and not any(_RESTRICTED in documents for documents in found.values()),
        )

    def check_a_citation(self) -> None:
        self.report.step("A citation is a span of the stored text and its hash: whoever has the text can check it.")
        hits = self.search(QUESTION, MIA, "handbook", k=1).hits
        if not hits:
            return  # the search has said so
        hit = hits[0]
        text = self.source(hit).text
        locator = Locator.parse(hit.locator)
        self.report.line(f"{hit.title} ({hit.source_uri})")
        self.report.line(hit.locator)
        self.report.excerpt(text[locator.start : locator.end])
        altered = text.replace("30 days", "60 days")
        self.report.check("it holds for the stored text", locator.verify(text))
        self.report.check("it does not for a text in which 30 days became 60", not locator.verify(altered))

    def filter_by_metadata(self) -> None:
        self.report.step("A metadata filter narrows before anything is ranked; what remains keeps its score and order.")
        where = MetadataFilter.all_of(
            MetadataFilter.where("return_days", "gt", 30),
            MetadataFilter.where("valid_from", "gte", "2025-01-01"),
        )
        self.report.line(f"filter: {where.to_json()}")
        narrowed = self.ask(QUESTION, MIA, "handbook", k=3, where=where)
        whole = self.search(QUESTION, MIA, "handbook").hits
        kept = list(where.apply(whole))
        check = self.report.check
        check(f"it left {len(kept)} of {len(whole)} passages", 0 < len(kept) < len(whole))
        expected = [(hit.chunk_id, hit.score) for hit in kept[:3]]
        check("they keep their order and scores", [(hit.chunk_id, hit.score) for hit in narrowed.hits] == expected)

    def read_the_parent_window(self) -> None:
        self.report.step("A small passage is found, its whole section is read: the parent window.")
        question = "Who decides on a late return after day 45?"
        self.report.asked(WHO[MIA], question)
        hits = self.search(question, MIA, "handbook", k=5, expand="parent").hits
        hit = next((hit for hit in hits if len(hit.window_text) > len(hit.text)), None)
        self.report.check("a passage is smaller than its section", hit is not None)
        if hit is None:
            return
        self.report.hits((hit,))
        self.report.line(f"its section, {len(hit.window_text)} characters for these {len(hit.text)}:", style="green")
        for paragraph in hit.window_text.split("\n\n"):
            self.report.excerpt(paragraph, at_most=4)
        text = self.source(hit).text
        window = Locator.parse(hit.parent_locator)
        self.report.check(
            "the window is the document's own words around the passage",
            window.verify(text) and text[window.start : window.end] == hit.window_text and hit.text in hit.window_text,
        )

    def explain(self) -> None:
        self.report.step("Why is a document there, or why not? The answer reveals nothing the caller may not read.")
        told = {}
        for document_id in (_STAFF_ONLY, "stock-count", _RESTRICTED, "no-such-document"):
            answer = self.spine.explain(
                QUESTION,
                access=MIA,
                library_id="handbook",
                document_id=document_id,
                k=5,
                mode=RetrievalMode.ECONOMY,
            )
            to_administrator = self.spine.ingestor.explain_rights(answer, MIA)
            told[document_id] = (answer, to_administrator)
            self.report.line(f"{document_id}: {answer.verdict}, {answer.detail}")
            if to_administrator.verdict != answer.verdict:
                self.report.line(f"to an administrator: {to_administrator.verdict}", indent=6)
        words = ", ".join(f"{term['lexeme']} in {term['chunks']}" for term in told[_STAFF_ONLY][0].terms)
        self.report.line(f"passages with each word, counted over what Mia may read: {words}")
        check = self.report.check
        check("the guide is explained as a hit", told[_STAFF_ONLY][0].verdict == "hit")
        hidden, missing = told[_RESTRICTED][0], told["no-such-document"][0]
        check(
            "to Mia, the RESTRICTED report and a document that does not exist look the same",
            (hidden.verdict, hidden.detail) == (missing.verdict, missing.detail),
        )
        check("only an administrator learns that it is there", told[_RESTRICTED][1].verdict == "restricted")

    def ask_in(self, language: str, library_id: str, question: str, expected: str) -> None:
        self.report.step(f"The same in {language}, analysed by the database itself.")
        hits = self.ask(question, MIA, library_id, k=2).hits
        self.report.check("the page on returns comes first", bool(hits) and hits[0].document_id == expected)
