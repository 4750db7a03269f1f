"""Those who write: each a loop of one kind of call, with what it wrote entered in the journal."""

import random
from collections.abc import Callable, Sequence
from itertools import cycle
from threading import Event
from typing import Any

from ragspine_pg import Document
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import IngestReport
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.errors import NotFound, VersionChanged
from tests.access.churn.journal import Journal, State
from tests.access.churn.library import CLOSED, CONTENDED, FLEETING, LABELS, READERS, STEADY, document

RIGHTS = {"readers", "sensitivity"}
Writer = Callable[[Event], None]


def _drawn_label(draw: random.Random) -> Sensitivity:
    """Every other one is RESTRICTED: raised and lowered is what takes most."""
    return Sensitivity.RESTRICTED if draw.random() < 0.4 else draw.choice(LABELS[:3])


class Writers:
    """All of them, on one library."""

    def __init__(self, library: Library, journal: Journal) -> None:
        self.library = library
        self.journal = journal

    def prepare(self) -> None:
        """Store what is there before they begin; tell the journal."""
        draw = random.Random(1)
        states = {name: State(0, draw.choice(READERS), draw.choice(LABELS)) for name in STEADY}
        states |= {name: State(0, frozenset(), Sensitivity.INTERNAL) for name in CLOSED}
        for name, state in states.items():
            facets = zip(("edition", "readers", "label"), state, strict=True)
            self.journal.start(name, dict(facets))  # type: ignore[arg-type]
        for name in FLEETING:
            self.journal.start(name, {"all": None})
        stored = [document(name, 0, readers=of.readers, sensitivity=of.label) for name, of in states.items()]
        self.library.ingest([*stored, *(document(name, 0) for name in CONTENDED)])

    def all(self) -> dict[str, Writer]:
        """By name."""
        return {
            "text of the even": lambda stop: self.change_texts(stop, STEADY[::2]),
            "text of the odd": lambda stop: self.change_texts(stop, STEADY[1::2]),
            "readers": self.change_readers,
            "labels": self.change_labels,
            "fleeting": self.come_and_go,
            "contended": lambda stop: self.contend(stop, 1),
            "also contended": lambda stop: self.contend(stop, 2),
            "versions": self.change_versions,
            "folding": self.fold,
        }

    def ingest(self, *documents: Document) -> IngestReport:
        """Ingest, and again where that was overtaken by publishes so often that it said so: they come all the time."""
        while True:
            try:
                return self.library.ingest(documents)
            except VersionChanged:
                self.journal.writes["overtaken"] += 1

    def change_texts(self, stop: Event, owned: Sequence[str]) -> None:
        """New editions of some documents a call, in any order, that leave the rights to others."""
        draw, edition = random.Random(str(owned)), 0
        while not stop.wait(0.01):
            edition += 1
            names = draw.sample(owned, draw.randint(1, 3))
            with self.journal.writing("ingest", "edition", **dict.fromkeys(names, edition)):
                report = self.ingest(*(document(name, edition, keep=RIGHTS) for name in names))
            assert report.changed == len(names), "somebody else changed a text"

    def change_readers(self, stop: Event) -> None:
        """Readers of one document after another, whoever changes its text and label meanwhile."""
        draw = random.Random(3)
        while not stop.wait(0.003):
            name, readers = draw.choice(STEADY), draw.choice(READERS)
            with self.journal.writing("relabel", "readers", **{name: readers}):
                self.library.relabel(name, readers=readers)

    def change_labels(self, stop: Event) -> None:
        """Labels, up to RESTRICTED and back."""
        draw = random.Random(4)
        while not stop.wait(0.003):
            name, label = draw.choice(STEADY), _drawn_label(draw)
            kind = "raise" if label is Sensitivity.RESTRICTED else "lower"
            with self.journal.writing(kind, "label", **{name: label}):
                self.library.relabel(name, sensitivity=label)

    def come_and_go(self, stop: Event) -> None:
        """Documents that are stored, changed in all they have, relabelled and deleted."""
        draw, edition = random.Random(5), 0
        while not stop.wait(0.005):
            edition += 1
            name = draw.choice(FLEETING)
            was = self.journal.last(name)
            state = State(edition, draw.choice(READERS), _drawn_label(draw))
            act = draw.choice(["ingest", "ingest", "relabel", "delete"]) if was else "add"
            if act == "delete":
                with self.journal.writing(act, "all", **{name: None}):
                    assert self.library.delete(name), "somebody else deleted it"
            elif was is not None and act == "relabel":
                state = state._replace(edition=was.edition)
                with self.journal.writing(act, "all", **{name: state}):
                    self.library.relabel(name, readers=state.readers, sensitivity=state.label)
            else:
                with self.journal.writing(act, "all", **{name: state}):
                    self.ingest(document(name, edition, readers=state.readers, sensitivity=state.label))

    def contend(self, stop: Event, seed: int) -> None:
        """Everything to the same few documents as somebody else."""
        draw, edition = random.Random(10 + seed), seed
        while not stop.wait(0.005):
            edition += 2
            name, readers, label = draw.choice(CONTENDED), draw.choice(READERS), _drawn_label(draw)
            rights: list[dict[str, Any]] = [{"readers": readers}, {"sensitivity": label}]
            act = draw.choice(["ingest", "ingest both", "relabel", "relabel", "relabel", "delete"])
            with self.journal.writing(f"contended {act.partition(' ')[0]}"):
                if act == "relabel":
                    try:
                        self.library.relabel(name, **draw.choice([*rights, rights[0] | rights[1]]))
                    except NotFound:
                        continue
                elif act == "delete":
                    self.library.delete(name)
                else:
                    names = [name] if act == "ingest" else draw.sample(CONTENDED, len(CONTENDED))
                    given: dict[str, Any] = draw.choice([{"readers": readers, "sensitivity": label}, {"keep": RIGHTS}])
                    self.ingest(*(document(each, edition, **given) for each in names))

    def change_versions(self, stop: Event) -> None:
        """Rebuild, publish, go back and forth: other chunks, other lexemes, other weights."""
        profiles = cycle([("simple", 140, 0.9), ("english", 90, 1.2), ("simple", 60, 1.2), ("english", 200, 2.0)])
        while not stop.wait(0.1):
            analyzer, size, k1 = next(profiles)
            with self.journal.writing("rebuild"):
                report = self.library.rebuild(analyzer=analyzer, chunker_options={"size": size}, k1=k1)
            if stop.wait(0.2):
                return
            with self.journal.writing("publish"):
                self.library.publish(report.version)
            for _ in range(2):
                if stop.wait(0.2):
                    return
                with self.journal.writing("rollback"):
                    self.library.rollback()

    def fold(self, stop: Event) -> None:
        """Fold the statistics that the others append to."""
        while not stop.wait(0.2):
            with self.journal.writing("optimize"):
                self.library.optimize()
