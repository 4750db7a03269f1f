import pytest

from tests.filtering.cases import CASES, DECLARED, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_evaluator_matches_the_rows_of_each_rule(case: Case):
    kept = case.metadata_filter.apply(case.rows, fields=DECLARED)
    assert [id(row) for row in kept] == [id(case.rows[position]) for position in case.matches]
