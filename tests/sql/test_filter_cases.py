from typing import Any

import psycopg
import pytest

from tests.filtering.cases import CASES, DECLARED, Case
from tests.filtering.sql_evaluator import SqlEvaluator


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_compiled_filter_matches_the_rows_of_each_rule(owner_transaction: psycopg.Connection[Any], case: Case):
    evaluator = SqlEvaluator(owner_transaction, DECLARED)
    evaluator.store(case.rows)
    assert evaluator.matching(case.metadata_filter) == case.matches
