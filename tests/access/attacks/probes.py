"""Guessing: is it there, but hidden, or is it not there at all? Both have to look the same, in work as in words."""

from tests.access.attacks.attack import Attack
from tests.access.attacks.worlds import CANARY

_COSTS = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF)"
_WARM = "do it three times: what is read for the first time is read from elsewhere"


def _thrice(statement: str) -> tuple[str, ...]:
    return (statement, statement, statement)


def _filter(field: str, op: str, value: str) -> str:
    return f'{{"field": "{field}", "op": "{op}", "value": {value}}}'


def _both(name: str, why: str, statement: str, *pairs: tuple[str, str], left_open: str = "") -> list[Attack]:
    return [
        Attack(name, why, statement, guesses=pairs),
        Attack(
            f"{name}, by the work it takes",
            _WARM,
            _thrice(f"{_COSTS} {statement}"),
            guesses=pairs,
            left_open="Work",
            guess_left_open=left_open,
        ),
    ]


_LEXICAL = "SELECT * FROM ragspine.lexical_leg_v1(4, 'return an order', 9, '{}')"
_VECTOR = "SELECT * FROM ragspine.vector_leg_v1(4, '{space}', '{embedding}', 9, '{}')"


def _values(field: str, op: str, value: str, *pairs: tuple[str, str]) -> list[Attack]:
    made = _filter(field, op, value)
    name = f"a value of a declared field, {field} {op}"
    return [
        *_both(name, "the index of declared fields holds hidden values", _LEXICAL.replace("{}", made), *pairs),
        *_both(f"{name}, by vectors", "the same index", _VECTOR.replace("'{}'", f"'{made}'"), *pairs),
        Attack(
            f"{name}, by the work of a forced plan",
            "settings of the planner have the index used, and each row of it looked up",
            (
                *(f"SET enable_{how} = off" for how in ("seqscan", "hashjoin", "mergejoin", "material", "memoize")),
                *_thrice(f"{_COSTS} {_LEXICAL}".replace("{}", made)),
            ),
            guesses=pairs,
            left_open="Work",
        ),
    ]


_WORD = ((f"{CANARY}arite", f"{CANARY}aryte"), ("title", "tirle"), (f"{CANARY}word1", f"{CANARY}wort1"))

ATTACKS = [
    *_both(
        "a word",
        "the dictionary holds words of hidden texts",
        "SELECT * FROM ragspine.query_terms_v1(4, '{guess}')",
        *_WORD,
    ),
    *_both(
        "another tenant's version",
        "versions are numbered over all tenants, and their state is nobody else's",
        "SELECT * FROM ragspine.query_terms_v1({guess}, 'return')",
        ("3", "9999"),
        ("3", "8888"),
        ("3", "7777"),
    ),
    *_both(
        "a word in a search",
        "the same, whole",
        "SELECT document_id, score FROM ragspine.search('return {guess}')",
        *_WORD,
    ),
    *_both("a word in a leg", "the same", "SELECT * FROM ragspine.lexical_leg_v1(4, 'return {guess}', 9)", *_WORD),
    *_both(
        "a document",
        "explain says nothing of hidden ones",
        "SELECT ragspine.find_document_v1('handbook', '{guess}')",
        (f"{CANARY}-finance-0", f"{CANARY}-finanxe-0"),
        left_open="Identifiers",
    ),
    *_both(
        "a restricted document",
        "no reader of it makes it readable",
        "SELECT ragspine.find_document_v1('handbook', '{guess}')",
        (f"{CANARY}-secret-0", f"{CANARY}-sekret-0"),
        left_open="Identifiers",
    ),
    *_both(
        "a locator",
        "the same for verify",
        "SELECT ragspine.verify_locator('handbook', '{guess}', 'char=0,0;sha256=' || encode(sha256(''), 'hex'))",
        (f"{CANARY}-finance-0", f"{CANARY}-finanxe-0"),
        left_open="Identifiers",
    ),
    *_both(
        "a library",
        "one with nothing to read is none",
        "SELECT * FROM ragspine.search('return', libraries => ARRAY['{guess}'])",
        (f"{CANARY}-vault", f"{CANARY}-fault"),
        left_open="Identifiers",
    ),
    *_both(
        "a library's description",
        "the same",
        "SELECT * FROM ragspine.readable_descriptions_v1(ARRAY['{guess}'], 'x')",
        (f"{CANARY}-vault", f"{CANARY}-fault"),
        left_open="Identifiers",
    ),
    *_both(
        "a library in a cursor",
        "the same",
        "SELECT * FROM ragspine.readable_libraries_v1(NULL, '{\"{guess}\": 1}')",
        (f"{CANARY}-vault", f"{CANARY}-fault"),
        left_open="Identifiers",
    ),
    *_values("owner", "eq", '"{guess}"', (f"{CANARY}-owner-0", f"{CANARY}-ovner-0")),
    *_values("owner", "prefix", '"{guess}"', (CANARY[:4], "vvxq")),
    *_values("owner", "gte", '"{guess}"', ("v", "w")),
    *_values("owner", "in", '["{guess}", "ann"]', (f"{CANARY}-owner-1", f"{CANARY}-ovner-1")),
    *_values("n", "eq", "{guess}", ("77", "76")),
    *_values("n", "gte", "{guess}", ("77", "99")),
    *_values("due", "lt", '"{guess}-01-01"', ("2035", "2030")),
    *_both(
        "a field of its own",
        "an undeclared field is looked for in readable documents alone",
        _LEXICAL.replace("{}", _filter("{guess}", "exists", "true")),
        (f"{CANARY}-field", f"{CANARY}-veld"),
    ),
    Attack(
        "a value, by sequential scans",
        "where no index serves, the condition of access still comes before the filter",
        (
            *(f"SET enable_{scan} = off" for scan in ("indexscan", "indexonlyscan", "bitmapscan")),
            *_thrice(f"{_COSTS} {_LEXICAL}".replace("{}", _filter("owner", "prefix", '"{guess}"'))),
        ),
        guesses=((CANARY[:4], "vvxq"),),
        left_open="Work",
    ),
    Attack(
        "a principal",
        "who reads what one does not is a hidden name, too",
        (
            "SELECT principal FROM ragspine.acl_reader",
            "SELECT count(*) FROM ragspine.acl_reader WHERE principal LIKE 'group:%'",
        ),
    ),
]
