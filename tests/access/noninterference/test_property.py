"""What a caller may not read changes no byte of what it gets, in worlds drawn at random.

Each world is one transaction, rolled back: what is readable is stored and asked about; then hidden things happen, and
it is asked about again. Or the hidden things happen first, which gives other numbers to everything that is readable.
What takes transactions of its own is in ``test_noninterference.py``.
"""

import re
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from ragspine_pg import MetadataFilter
from tests.access.noninterference.histories import CROWDED, DRAWN, WORDS, History, Questions, Store, Text
from tests.access.noninterference.observation import observe
from tests.access.noninterference.stage import Stage, raised
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind

# A superuser's connection goes by no pooler.
pytestmark = [not_behind, pytest.mark.usefixtures("eagerly_sealed")]

EXAMPLES = 100


def assert_hidden_things_change_nothing(stage: Stage, history: History, *, embedded: bool, hidden_first: bool) -> None:
    """The rule, in one world. ``hidden_first``: what is hidden comes before what is readable, and not after it."""

    def store_and_observe() -> dict[str, str]:
        if history.readable:
            Store(history.readable)(stage)
        stage.build_index()
        return observe(stage, history.questions, embedded=embedded)

    with stage.undone():
        with stage.undone() if hidden_first else nullcontext():
            history.found(stage, embedded=embedded)
            alone = store_and_observe()
        if hidden_first:
            history.found(stage, embedded=embedded)
        for action in history.hidden:
            action(stage)
        beside = store_and_observe() if hidden_first else observe(stage, history.questions, embedded=embedded)
    assert beside == alone


def assert_holds_in_random_worlds(
    stage: Stage, *, embedded: bool, examples: int = EXAMPLES, same_ones: bool = True
) -> None:
    """The rule, in ``examples`` worlds, of both kinds and orders; the first that breaks it is raised as it is.

    ``same_ones``: the same worlds whenever it runs, so that what is found once is found every time.
    """

    def hold(histories: SearchStrategy[History], *, hidden_first: bool) -> None:
        @settings(
            max_examples=examples // 4,
            deadline=None,
            database=None,
            derandomize=same_ones,
            report_multiple_bugs=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(history=histories)
        def check(history: History) -> None:
            assert_hidden_things_change_nothing(stage, history, embedded=embedded, hidden_first=hidden_first)

        check()

    for order in (True, False):
        hold(CROWDED, hidden_first=order)
        hold(DRAWN, hidden_first=order)


KINDS = pytest.mark.parametrize("embedded", [False, True], ids=["without vectors", "with vectors"])


@KINDS
def test_hidden_things_change_nothing(database: Database, embedded: bool) -> None:
    with raised(database) as stage:
        assert_holds_in_random_worlds(stage, embedded=embedded)


@KINDS
def test_the_questions_have_answers(database: Database, embedded: bool) -> None:
    """Else nothing could differ."""
    open_to_all = {"readers": None, "sensitivity": "INTERNAL"}
    texts = [Text(f"v{n}", " ".join(WORDS[n:]), open_to_all, {"n": 1}) for n in range(3)]
    asked = Questions(" ".join(WORDS), 2, MetadataFilter.where("n", "eq", 1))
    with raised(database) as stage, stage.undone():
        History("parent_child", texts, [], asked).found(stage, embedded=embedded)
        Store(texts)(stage)
        found = observe(stage, asked, embedded=embedded)
    for name, answer in found.items():
        if name in {"without a principal", "in a library that may not be there", "explain h0", "notices"}:
            assert '"v0"' not in answer, name
        elif name == "vector" and not embedded:
            assert answer.startswith("ModeUnavailable"), name
        else:
            told = {"SQL libraries": "cjk|simple|english", "SQL descriptions": "orders", "SQL terms": "refund"}
            told |= {"SQL legs": "1, [0-9.]+", "SQL scores": "order", "SQL reasons": "None"}
            assert re.search(told.get(name, "v[0-2]"), answer), name


@pytest.mark.soak
@KINDS
def test_hidden_things_change_nothing_in_thousands_of_worlds(database: Database, embedded: bool) -> None:
    with raised(database) as stage:
        assert_holds_in_random_worlds(stage, embedded=embedded, examples=2500, same_ones=False)
