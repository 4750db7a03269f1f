"""What the benchmark beside the peers makes of texts and times, without a database."""

import pytest

from benchmarks.lexical.contest.corpus import Manuals
from benchmarks.lexical.contest.growth import exponents
from benchmarks.lexical.contest.paired import bootstrap
from benchmarks.lexical.contest.turns import Contestant, Effort, summary, take_turns

TEXTS = [" ".join(f"w{chr(97 + n)}{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(30)) for n in range(20)]
SOURCE = Manuals("own", TEXTS, frozenset({3, 11}), ["one"])


def test_what_is_held_out_is_in_no_corpus() -> None:
    held_out = {word for n in SOURCE.held_out for word in TEXTS[n].split()}
    million = list(SOURCE.million())
    for corpus in (SOURCE.chosen(None), SOURCE.chosen(5), million):
        assert not held_out & {word for text in corpus for word in text.split()}
    assert len(SOURCE.chosen(5)) == 5
    assert SOURCE.chosen(None) == million[: SOURCE.size]


def test_the_million_joins_halves_of_chunks() -> None:
    whole = Manuals("own", TEXTS, frozenset(), ["one"])
    million = list(whole.million())
    assert len(million) == 6 * len(TEXTS)
    for n, text in enumerate(million[len(TEXTS) :]):
        assert text.split()[:15] == TEXTS[n % len(TEXTS)].split()[:15]
    for first in range(len(TEXTS), len(million), len(TEXTS)):
        ends = {tuple(text.split()[15:]) for text in million[first : first + len(TEXTS)]}
        assert ends == {tuple(text.split()[15:]) for text in TEXTS}


def test_queries_are_drawn_from_a_window_of_what_is_held_out() -> None:
    for n, query in zip(sorted(SOURCE.held_out), SOURCE.drawn(), strict=True):
        at = [TEXTS[n].split().index(word) for word in query.split()]
        assert at == sorted(at)
        assert 1 <= len(at) <= 8
        assert at[-1] - at[0] < 10


def test_a_power_of_the_size_is_found_as_its_exponent() -> None:
    found = exponents({"s": {"square": {10: 100.0, 30: 900.0, 100: 10_000.0}, "single": {10: 1.0}}})
    assert found == {"s": {"square": pytest.approx(2)}}


def test_ratios_are_those_of_the_same_queries() -> None:
    ours = [{0: 1.0, 1: 99.0, 2: 3.0}, {0: 3.0, 1: 99.0, 2: 5.0}]
    found = summary([{0: 2.0, 2: 2.0}], ours)
    assert found["queries"] == 2
    assert found["ours_times_by_round"] == [1.0]
    assert found["ours_times"]["mean"] == 1.0


def test_slow_contestants_are_asked_less_and_in_turns() -> None:
    asked: list[str] = []

    def search(name: str) -> Contestant:
        def one(query: str, k: int) -> int:
            asked.append(name + query)
            return 1

        return Contestant(name, "", one, slow=name == "s")

    found = take_turns("t", [search("ours"), search("s")], ["0", "1", "2", "3"], 10, Effort(2, 1, 2))
    warm, rounds = asked[:6], asked[6:]
    assert warm == ["ours0", "ours1", "ours2", "ours3", "s0", "s2"]
    assert rounds == [*warm, "ours0", "ours1", "ours2", "ours3"]
    assert found["s"]["queries"] == 2
    assert len(found["ours"]["ours_times_by_round"]) == 2


def test_a_contestant_that_finds_nothing_is_refused() -> None:
    with pytest.raises(AssertionError, match="finds 0 results"):
        take_turns("t", [Contestant("ours", "", lambda query, k: 0)], ["0", "1"], 10, Effort(1, 1, 1))


def test_a_bootstrap_tells_a_difference_from_noise() -> None:
    even = bootstrap([0.1, -0.1] * 100)
    assert abs(even.mean) < 1e-12
    assert even.low < 0 < even.high
    assert not even.below
    worse = bootstrap([-0.2, 0.1] * 100)
    assert worse.mean == pytest.approx(-0.05)
    assert worse.below
    # The error of the mean is 0.15 / sqrt(200), and 95 % lie within 1.96 of them.
    assert worse.high - worse.low == pytest.approx(2 * 1.96 * 0.15 / 200**0.5, rel=0.05)
    assert bootstrap([-0.2, 0.1] * 100) == worse
    assert not bootstrap([0.2, -0.1] * 100).below
