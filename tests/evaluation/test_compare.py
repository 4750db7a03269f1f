"""Two runs: differences, their p values, and the same figures each time."""

import json
from dataclasses import replace

import pytest

from ragspine_pg.errors import ConfigurationError
from ragspine_pg.evaluation import CaseResult, EvaluationReport, compare


def report(values: list[float], *, version: str = "v") -> EvaluationReport:
    cases = tuple(CaseResult(f"q{n}", "", {"nDCG@10": value}, 1.0, (), {}, 1) for n, value in enumerate(values))
    return EvaluationReport("set", version, "economy", "t/l", 1, {}, 1, 1, cases)


def p_value(first: list[float], second: list[float], **options: int) -> float:
    return compare(report(first), report(second), **options).differences["nDCG@10"].p_value


def test_small_runs_count_every_swap() -> None:
    # Ten gains of one sign: of 1,024 ways to swap, two have a mean as far from 0.
    assert p_value([0.1] * 10, [0.6] * 10) == pytest.approx(2 / 1024)
    # 3 and -1: sums of 2, 4, -4, -2, so every swap is at least as far as the 2 that was seen.
    assert p_value([0.0, 0.1], [0.3, 0.0]) == 1.0
    # 4, 2 and -1 of eight swaps: 5 and more (or -5 and less) are 7, 5, -5, -7.
    assert p_value([0.0, 0.0, 0.1], [0.4, 0.2, 0.0]) == pytest.approx(4 / 8)


def test_equal_runs_do_not_differ() -> None:
    found = compare(report([0.2, 0.4]), report([0.2, 0.4])).differences["nDCG@10"]
    assert (found.difference, found.p_value, found.equal) == (0.0, 1.0, 2)
    assert p_value([0.2, 0.4], [0.2, 0.9]) == 1.0  # one case alone proves nothing


def test_difference_is_second_minus_first_and_cases_are_counted() -> None:
    found = compare(report([0.5, 0.5, 0.5, 0.0]), report([0.9, 0.4, 0.5, 0.4])).differences["nDCG@10"]
    assert (found.first, found.second, found.difference) == pytest.approx((0.375, 0.55, 0.175))
    assert (found.better, found.equal, found.worse) == (2, 1, 1)


def test_large_runs_draw_from_the_seed_and_tell_signal_from_noise() -> None:
    first = [(n * 37 % 100) / 100 for n in range(200)]
    noise = [value + (0.01 if n * 53 % 7 < 3 else -0.0075) for n, value in enumerate(first)]
    better = [value + 0.05 + 0.1 * ((n % 5) - 2) for n, value in enumerate(first)]
    assert p_value(first, noise) > 0.2
    assert p_value(first, better) < 0.001
    assert p_value(first, noise) == p_value(first, noise)
    assert p_value(first, noise) != p_value(first, noise, seed=1)


def test_order_of_the_runs_turns_the_sign_alone() -> None:
    first, second = [0.1, 0.2, 0.9, 0.4, 0.0], [0.3, 0.1, 1.0, 0.9, 0.2]
    there = compare(report(first), report(second)).differences["nDCG@10"]
    back = compare(report(second), report(first)).differences["nDCG@10"]
    assert there.difference == -back.difference != 0
    assert there.p_value == back.p_value


def test_runs_over_other_data_or_cases_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="different versions"):
        compare(report([0.1]), report([0.1], version="w"))
    shorter = report([0.1, 0.2])
    with pytest.raises(ConfigurationError, match="same cases"):
        compare(report([0.1, 0.2]), replace(shorter, cases=shorter.cases[::-1]))


def test_comparison_is_written_as_json() -> None:
    written = json.loads(compare(report([0.1, 0.2]), report([0.2, 0.2])).to_json())
    assert written["queries"] == 2
    assert written["differences"]["nDCG@10"]["better"] == 1
