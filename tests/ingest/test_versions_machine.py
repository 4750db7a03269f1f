"""Random writes between random rebuilds, publishes and rollbacks, against a plain model."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.ingest import Statistics
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.flow.job import Job, run_job
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up, versioning, write
from ragspine_pg.ingest import statistics as counting
from ragspine_pg.ingest.change import ProfileChanges
from ragspine_pg.ingest.target import Target
from ragspine_pg.ingest.versions import list_versions
from tests.fixtures.database import Database
from tests.ingest.test_statistics_machine import IDS, Writes

SIZES = st.sampled_from([24, 40])
MODELS = st.sampled_from(["hashing", "none"])
STATISTICS = st.sampled_from(["class", "library"])


class Versions(Writes):
    """The versions of the library beside its documents; what was given up partly may be finished at any time."""

    def job(self, job: Job[Any]) -> Any:
        return run_job(job, self.shelf.run)

    def states(self) -> dict[int, str]:
        listed = self.shelf.run(list_versions(self.shelf.tenant, self.shelf.library))
        return {version.version: version.state for version in listed}

    def changes(self, size: int, model: str, statistics: Statistics) -> ProfileChanges:
        return ProfileChanges(chunker_options={"size": size}, embedding=model, statistics=statistics)

    @rule(size=SIZES, model=MODELS, statistics=STATISTICS)
    def rebuild(self, size: int, model: str, statistics: Statistics) -> None:
        place = (self.shelf.tenant, self.shelf.library)
        report = self.job(versioning.rebuild(*place, self.changes(size, model, statistics), models=KnownModels()))
        assert self.states()[report.version] == "verified"

    @rule(size=SIZES, model=MODELS, statistics=STATISTICS, batches=st.integers(0, 2))
    def rebuild_in_part(self, size: int, model: str, statistics: Statistics, batches: int) -> None:
        place = (self.shelf.tenant, self.shelf.library)
        job = versioning.rebuild(*place, self.changes(size, model, statistics), models=KnownModels())
        left = batches + 3

        def drive(flow: Flow[Any]) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return self.shelf.run(flow)

        try:
            run_job(job, drive)
        except KeyboardInterrupt:
            return

    @rule()
    def publish(self) -> None:
        verified = [version for version, state in self.states().items() if state == "verified"]
        if verified:
            place = (self.shelf.tenant, self.shelf.library, verified[0])
            assert self.job(versioning.publish(*place, models=KnownModels())).pending == 0

    @rule()
    def roll_back(self) -> None:
        if "retired" in self.states().values():
            self.job(versioning.roll_back(self.shelf.tenant, self.shelf.library, models=KnownModels()))

    @invariant()
    def store_holds_the_model(self) -> None:
        """Of the published version; the audit answers for the others."""
        listed = self.shelf.run(list_versions(self.shelf.tenant, self.shelf.library))
        published = next(version for version in listed if version.state == "published")
        chunker = make_chunker("default", size=int(published.profile["chunker"]["options"]["size"]))
        expected = sorted(
            (key, value.label.value, chunk.text)
            for key, value in self.model.items()
            for chunk in chunker.chunk(value.document(key))
        )
        stored = self.shelf.owner(
            "SELECT d.document_id, k.sensitivity, c.text FROM ragspine.tenant AS t"
            " JOIN ragspine.document AS d USING (tenant_no)"
            " JOIN ragspine.acl_class AS k USING (tenant_no, acl_class_no)"
            " JOIN ragspine.chunk AS c USING (tenant_no, document_no)"
            " JOIN ragspine.index_version AS v USING (tenant_no, version_no)"
            " WHERE t.tenant = %(tenant)s AND v.version = %(version)s",
            version=published.version,
        )
        assert sorted(stored) == expected

    @invariant()
    def every_live_version_is_sound(self) -> None:
        if self.verified:
            assert self.shelf.audit(deep=False) == []


def check(database: Database, *, verified: bool = True, examples: int = 5) -> None:
    machine = type("Machine", (Versions,), {"database": database, "verified": verified})
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            phases=[Phase.generate],
            database=None,
            derandomize=True,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """One document a transaction, of which there are three."""
    assert len(IDS) == 3
    monkeypatch.setattr(catch_up, "BATCH", (1, 1000))
    monkeypatch.setattr(catch_up, "EMBEDDED_BATCH", (1, 1000))


def test_random_writes_and_versions_leave_exactly_what_the_model_says(database: Database) -> None:
    check(database)


@pytest.mark.soak
def test_many_random_writes_and_versions_leave_exactly_what_the_model_says(database: Database) -> None:
    check(database, examples=60)


def test_random_versions_have_teeth_for_a_change_that_is_not_marked(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgotten(target: Target) -> Flow[None]:
        yield from ()

    monkeypatch.setattr(write, "add_pending", forgotten)
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(database)


def test_random_versions_have_teeth_for_statistics_of_one_version_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = counting.subtract_stored

    def here_alone(target: Target, *, everywhere: bool) -> Flow[None]:
        yield from right(target, everywhere=False)

    monkeypatch.setattr(counting, "subtract_stored", here_alone)
    with pytest.raises((AssertionError, ExceptionGroup)):
        check(database)
