"""Random writes against a plain model: chunks, classes and statistics are what it says, after every call."""

from dataclasses import dataclass, replace

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import Statistics
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.errors import VerificationFailed
from ragspine_pg.ingest import fold, pipeline, verify
from ragspine_pg.ingest import relabel as relabel_stage
from ragspine_pg.ingest import statistics as counting
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, edited_statement
from tests.ingest.shelf import Shelf

IDS = ("a", "b", "c")
READERS = st.sampled_from([None, (), ("group:x",), ("group:x", "group:y")])
LABELS = st.sampled_from(list(Sensitivity))
# Few words, so that documents share them; some long enough for several chunks.
TEXTS = st.lists(st.sampled_from(["fox", "owl", "foxes run", "the", "night owl.\n\n"]), max_size=14).map(" ".join)


@dataclass(frozen=True)
class Modelled:
    title: str
    text: str
    readers: tuple[str, ...] | None
    label: Sensitivity
    year: int

    def document(self, document_id: str) -> Document:
        return Document(
            document_id,
            self.text,
            title=self.title,
            readers=self.readers,
            sensitivity=self.label,
            metadata={"year": self.year},
        )


MODELLED = st.builds(
    Modelled,
    title=st.sampled_from(["", "Owls", "Foxes"]),
    text=TEXTS,
    readers=READERS,
    label=LABELS,
    year=st.integers(0, 1),
)


class Writes(RuleBasedStateMachine):
    """``database`` is set by the tests, and ``statistics`` where they are the library's."""

    database: Database
    statistics: Statistics = "class"
    verified = True

    def __init__(self) -> None:
        super().__init__()
        self.shelf = Shelf(
            self.database, chunker_options={"size": 24}, fields={"year": "number"}, statistics=self.statistics
        )
        self.model: dict[str, Modelled] = {}

    @rule(documents=st.dictionaries(st.sampled_from(IDS), MODELLED, min_size=1))
    def ingest(self, documents: dict[str, Modelled]) -> None:
        kept = {key: value for key, value in documents.items() if value.title.strip() or value.text.strip()}
        report = self.shelf.ingest(*[value.document(key) for key, value in documents.items()])
        same = [key for key, value in kept.items() if self.model.get(key) == value]
        assert report.unchanged == len(same)
        assert report.added == len(kept.keys() - self.model.keys())
        assert len(report.skipped) == len(documents) - len(kept)
        self.model |= kept

    @rule(document_id=st.sampled_from(IDS))
    def ingest_again(self, document_id: str) -> None:
        if document_id in self.model:
            assert self.shelf.ingest(self.model[document_id].document(document_id)).unchanged == 1

    @rule(document_id=st.sampled_from(IDS), readers=READERS, label=LABELS)
    def relabel(self, document_id: str, readers: tuple[str, ...] | None, label: Sensitivity) -> None:
        if document_id in self.model:
            old = self.model[document_id]
            new = replace(old, readers=readers, label=label)
            assert self.shelf.relabel(document_id, readers=readers, sensitivity=label) == (old != new)
            self.model[document_id] = new

    @rule(document_id=st.sampled_from(IDS), label=LABELS)
    def raise_label(self, document_id: str, label: Sensitivity) -> None:
        if document_id in self.model:
            old = self.model[document_id]
            assert self.shelf.relabel(document_id, sensitivity=label) == (old.label != label)
            self.model[document_id] = replace(old, label=label)

    @rule(document_id=st.sampled_from(IDS))
    def delete(self, document_id: str) -> None:
        assert self.shelf.delete(document_id) == (self.model.pop(document_id, None) is not None)

    @rule()
    def optimize(self) -> None:
        self.shelf.run(pipeline.optimize(self.shelf.tenant, self.shelf.library))

    @invariant()
    def statistics_equal_a_recount(self) -> None:
        assert self.shelf.stored_statistics() == self.shelf.recounted_statistics()

    @invariant()
    def store_holds_the_model(self) -> None:
        chunker = make_chunker("default", size=24)
        expected = {
            (key, value.label, value.readers if value.readers is None else tuple(sorted(value.readers)), chunk.text)
            for key, value in self.model.items()
            for chunk in chunker.chunk(value.document(key))
        }
        stored = self.shelf.owner(
            """
            SELECT d.document_id, k.sensitivity,
                   CASE WHEN NOT k.open_to_members THEN
                     ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
                            WHERE r.tenant_no = d.tenant_no AND r.acl_class_no = d.acl_class_no
                            ORDER BY r.principal) END,
                   c.text
              FROM ragspine.tenant AS t
              JOIN ragspine.document AS d USING (tenant_no)
              JOIN ragspine.acl_class AS k USING (tenant_no, acl_class_no)
              JOIN ragspine.chunk AS c USING (tenant_no, document_no)
              JOIN ragspine.chunk_lexical AS l
                ON l.chunk_no = c.chunk_no AND l.acl_class_no = d.acl_class_no AND c.acl_class_no = d.acl_class_no
             WHERE t.tenant = %(tenant)s
            """
        )
        assert {(key, label, None if r is None else tuple(r), text) for key, label, r, text in stored} == expected

    def teardown(self) -> None:
        if self.verified:
            assert self.shelf.audit() == []


def check(database: Database, *, verified: bool = True, statistics: Statistics = "class") -> None:
    """The core of these tests: run the machine; it raises on the first broken rule."""
    machine = type("Machine", (Writes,), {"database": database, "verified": verified, "statistics": statistics})
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=6,
            stateful_step_count=20,
            deadline=None,
            phases=[Phase.generate],  # shrinking runs the failing writes hundreds of times
            database=None,
            derandomize=True,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("statistics", ["class", "library"])
def test_random_writes_leave_exactly_what_the_model_says(database: Database, statistics: Statistics) -> None:
    check(database, statistics=statistics)


FORGETS_WHAT_IS_REMOVED = ("- c.chunk_count, - c.total_length", "0, 0")


@pytest.mark.parametrize("statistics", ["class", "library"])
def test_random_writes_have_teeth_for_a_forgotten_subtraction(
    database: Database, monkeypatch: pytest.MonkeyPatch, statistics: Statistics
) -> None:
    monkeypatch.setattr(counting, "_REMOVE_DELTAS", edited_statement(counting._REMOVE_DELTAS, *FORGETS_WHAT_IS_REMOVED))
    monkeypatch.setattr(verify, "_STATISTICS", replace(verify._STATISTICS, text="SELECT 0"))
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(database, verified=False, statistics=statistics)


@pytest.mark.parametrize("statistics", ["class", "library"])
@pytest.mark.parametrize("moved", ["AND s.of_words", "s.version_no = e.version_no"], ids=["words", "lengths"])
def test_random_writes_have_teeth_for_a_relabel_that_forgets_where_it_was_counted(
    database: Database, monkeypatch: pytest.MonkeyPatch, moved: str, statistics: Statistics
) -> None:
    """With statistics of the library that is one to RESTRICTED."""
    forgetful = edited_statement(relabel_stage._MOVE_STATISTICS, moved, f"{moved} AND s.sign > 0")
    monkeypatch.setattr(relabel_stage, "_MOVE_STATISTICS", forgetful)
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(database, verified=False, statistics=statistics)


def test_random_writes_have_teeth_for_a_relabel_that_counts_twice(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two classes that are counted together nothing changes."""
    doubled = edited_statement(relabel_stage._MOVE_STATISTICS, "HAVING sum(s.sign) <> 0", "HAVING sum(s.sign) >= 0")
    doubled = edited_statement(doubled, "sum(s.sign) AS sign", "max(s.sign) AS sign")
    monkeypatch.setattr(relabel_stage, "_MOVE_STATISTICS", doubled)
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(database, verified=False, statistics="library")


def test_random_writes_have_teeth_for_counted_restricted_texts(
    fresh_database: Database, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant("counted_class_v1", ("'RESTRICTED'", "'TOP SECRET'"))
    monkeypatch.setattr(verify, "_STATISTICS", replace(verify._STATISTICS, text="SELECT 0"))
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(fresh_database, verified=False, statistics="library")


def test_random_writes_have_teeth_for_a_fold_that_loses_a_row(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    lossy = edited_statement(fold._FOLD_LEXEME_STAT, "sum(g.chunk_count)\n", "max(g.chunk_count)\n")
    monkeypatch.setattr(fold, "_FOLD_LEXEME_STAT", lossy)
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(database, verified=False)


@pytest.mark.parametrize("statistics", ["class", "library"])
def test_verification_has_teeth_for_a_forgotten_subtraction(
    database: Database, monkeypatch: pytest.MonkeyPatch, statistics: Statistics
) -> None:
    shelf = Shelf(database, statistics=statistics)
    shelf.ingest(Document("a", "fox owl"))
    monkeypatch.setattr(counting, "_REMOVE_DELTAS", edited_statement(counting._REMOVE_DELTAS, *FORGETS_WHAT_IS_REMOVED))
    with pytest.raises(VerificationFailed, match="recount"):
        shelf.ingest(Document("a", "fox night"))
    assert shelf.stored_statistics() == shelf.recounted_statistics()
