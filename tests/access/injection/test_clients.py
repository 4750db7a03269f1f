"""No text that a caller hands to the clients becomes a part of a statement, whichever parameter it comes by."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ragspine_pg import Document, MetadataFilter
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import GrantInvalid, NotFound
from tests.access.injection.fuzz import Range, is_ours, perform, ranged
from tests.access.injection.members import EVE, MEMBERS, parameters
from tests.access.injection.payloads import UNSENDABLE, payloads
from tests.access.injection.values import NO_TEXT, VALUES
from tests.fixtures.database import clone
from tests.fixtures.pooler import not_behind

pytestmark = not_behind

FUZZED = [(name, parameter) for name, parameter in parameters() if parameter and parameter not in NO_TEXT]


@pytest.fixture(scope="module")
def shots(server: EmbeddedServer, template: str) -> Iterator[Range]:
    with clone(server, template) as database, ranged(database) as opened:
        yield opened


def fuzz(shots: Range, name: str, parameter: str, examples: int) -> None:
    member = MEMBERS[name]

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(value=st.sampled_from(VALUES[parameter]), payload=payloads)
    def check(value: Any, payload: str) -> None:
        shoot(value, payload)

    def shoot(value: Any, payload: str) -> None:
        def call() -> Any:
            return perform(shots.spine, name, member, {parameter: value(payload)})

        shots.shoot(member.login, call, ours=is_ours)

    for payload in UNSENDABLE:
        shoot(VALUES[parameter][0], payload)
    check()


def test_every_parameter_of_every_call_is_fuzzed() -> None:
    """Another call, or another parameter, has to be given its case first."""
    found = list(parameters())
    assert {name for name, _ in found} == set(MEMBERS)
    assert {parameter for _, parameter in found if parameter} == set(VALUES) | set(NO_TEXT)


@pytest.mark.parametrize("name", MEMBERS)
def test_every_call_works_as_it_is_given(shots: Range, name: str) -> None:
    """Else fuzzing one parameter would end at another."""
    with shots.tap.stage.undone():
        shots.tap.stage.act_as(MEMBERS[name].login)
        # There is no earlier version to go back to, and no grant to take back.
        refused = {"rollback": NotFound, "revoke": GrantInvalid}.get(name.rpartition(".")[2])
        with shots.tap.heard(), nullcontext() if refused is None else pytest.raises(refused):
            perform(shots.spine, name, MEMBERS[name], {})
        assert shots.tap.sent or name.endswith(("grant", "VectorStore.__init__"))


def test_what_crosses_the_wire_is_heard_and_what_runs_inside(shots: Range) -> None:
    with shots.tap.stage.undone():
        shots.tap.stage.act_as("ingest")
        with shots.tap.heard():
            shots.spine.library("acme", "notes").ingest([Document("new", "zirconium")])
            shots.tap.stage.act_as("reader")
            shots.spine.search("zirconium", access=EVE, metadata_filter=MetadataFilter.where("n", "gte", 1))
    for text in ("SAVEPOINT", "COPY pg_temp", "ragspine.lexical_leg_v1", "ragspine.assume("):
        assert any(text in sent for sent in shots.tap.sent), text
    assert not shots.tap.inside or any("x.impacts OPERATOR" in statement for statement in shots.tap.statements)
    assert not any("zirconium" in statement for statement in shots.tap.statements)


@pytest.mark.parametrize(("name", "parameter"), FUZZED)
def test_no_statement_holds_a_callers_text(shots: Range, name: str, parameter: str) -> None:
    fuzz(shots, name, parameter, examples=4)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "parameter"), FUZZED)
def test_no_statement_holds_any_callers_text(shots: Range, name: str, parameter: str) -> None:
    fuzz(shots, name, parameter, examples=100)
