"""EXPLAIN of whatever may be asked."""

from tests.access.attacks.attack import Attack
from tests.access.attacks.settings import PROBES

_QUIET = "COSTS ON, SUMMARY OFF, VERBOSE"

ATTACKS = [
    Attack(
        "EXPLAIN of tables",
        "estimates come of all rows; without a right there is no plan",
        (
            "EXPLAIN SELECT * FROM ragspine.chunk WHERE text LIKE 'a%'",
            "EXPLAIN (ANALYZE, COSTS OFF) SELECT FROM ragspine.chunk WHERE text >= 'a'",
            "EXPLAIN (GENERIC_PLAN) SELECT * FROM ragspine.document WHERE document_id = $1",
            "EXPLAIN DECLARE c CURSOR FOR SELECT * FROM ragspine.document_field",
            "EXPLAIN CREATE TABLE x AS SELECT * FROM ragspine.lexeme",
            "EXPLAIN (ANALYZE) UPDATE ragspine.document SET title = ''",
        ),
    ),
    Attack(
        "EXPLAIN of our functions",
        "a function is one line of a plan, with a fixed guess of its rows",
        tuple(f"EXPLAIN ({_QUIET}) {probe}" for probe in PROBES),
    ),
    Attack(
        "EXPLAIN ANALYZE of our functions",
        "the rows that came out, and nothing of those that did not",
        tuple(f"EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, SETTINGS, WAL, {_QUIET}) {probe}" for probe in PROBES),
    ),
    Attack(
        "EXPLAIN ANALYZE with buffers",
        "the pages that a function looked at are counted, whoever owns it",
        tuple(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON, {_QUIET}) {probe}" for probe in PROBES),
        left_open="Work",
    ),
    Attack(
        "plans of prepared statements",
        "a generic plan is no wiser",
        (
            "PREPARE p(text) AS SELECT document_id FROM ragspine.search($1)",
            "EXPLAIN (COSTS OFF) EXECUTE p('return')",
            "SET plan_cache_mode = force_generic_plan",
            "EXPLAIN (COSTS OFF) EXECUTE p('return')",
        ),
    ),
]
