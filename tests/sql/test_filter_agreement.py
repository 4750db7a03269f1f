"""Three readings of the same filters: the evaluator in Python, the compiler in SQL, the naive oracle of the tests."""

from collections import Counter
from typing import Any

import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.metadata import dump_json, freeze_metadata
from tests.filtering import oracle
from tests.filtering.sql_evaluator import SqlEvaluator
from tests.filtering.strategies import DECLARED, filters, metadata

PAIRS = 20_000


def test_evaluator_compiler_and_oracle_agree_on_20000_pairs(owner_transaction: psycopg.Connection[Any]):
    evaluator = SqlEvaluator(owner_transaction, DECLARED)
    seen: Counter[bool | None] = Counter()

    # Few examples of many pairs each: a statement evaluates one filter over all rows.
    @settings(max_examples=45, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(metadata(), min_size=50, max_size=60), st.lists(filters(), min_size=10, max_size=14))
    def agree(rows: list[dict[str, Any]], made: list[MetadataFilter]) -> None:
        with owner_transaction.transaction(force_rollback=True):
            evaluator.store(rows)
            texts = [dump_json(freeze_metadata(row)) for row in rows]
            for each in made:
                test = each.bind(DECLARED)
                in_python = [test(row) for row in rows]
                in_sql = evaluator.truths(each, len(rows))
                naive = [oracle.truth(each.to_json(), text, DECLARED) for text in texts]
                for text, *answers in zip(texts, in_python, in_sql, naive, strict=True):
                    assert answers[0] is answers[1] is answers[2], (each.to_json(), text, answers)
                seen.update(in_python)

    agree()
    total = sum(seen.values())
    assert total >= PAIRS
    for answer in (True, False, None):
        assert seen[answer] >= 0.05 * total, seen
