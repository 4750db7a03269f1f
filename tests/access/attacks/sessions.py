"""What a session keeps: prepared statements, cursors, settings, and what a pool hands from one caller to the next."""

from tests.access.attacks.attack import Attack

_SEARCH = "SELECT document_id, text FROM ragspine.search('return an order', 50)"

ATTACKS = [
    Attack(
        "a stolen prepared statement",
        "prepared and run under a grant, then run by who has none",
        (
            "BEGIN",
            "SELECT ragspine.assume('{valid}')",
            f"PREPARE stolen AS {_SEARCH}",
            "EXECUTE stolen",
            "COMMIT",
            "EXECUTE stolen",
            "SELECT set_config('ragspine.grant', '{nobody}', false) IS NULL",
            "EXECUTE stolen",
            "SET plan_cache_mode = force_generic_plan",
            "EXECUTE stolen",
        ),
        holding="none",
    ),
    Attack(
        "the same, five times",
        "from the sixth time on there is a generic plan",
        (
            f"PREPARE often AS {_SEARCH}",
            *["EXECUTE often"] * 6,
            "SELECT set_config('ragspine.grant', '{expired}', false) IS NULL",
            "EXECUTE often",
        ),
    ),
    Attack(
        "the text of prepared statements",
        "only one's own session's are shown",
        ("PREPARE mine AS SELECT 1", "SELECT name, statement, generic_plans FROM pg_prepared_statements ORDER BY 1"),
    ),
    Attack(
        "a cursor that outlives its grant",
        "it shows what was found under the grant, to the session that had it",
        (
            "BEGIN",
            "SELECT ragspine.assume('{valid}')",
            f"DECLARE c CURSOR FOR {_SEARCH}",
            "SELECT set_config('ragspine.grant', '', true)",
            "FETCH ALL FROM c",
            "MOVE BACKWARD ALL IN c",
            "COMMIT",
            "FETCH ALL FROM c",
        ),
        holding="none",
    ),
    Attack(
        "a cursor WITH HOLD",
        "it is run to its end at commit, under the grant of then",
        (
            "BEGIN",
            "SELECT ragspine.assume('{valid}')",
            f"DECLARE c SCROLL CURSOR WITH HOLD FOR {_SEARCH}",
            "COMMIT",
            "FETCH ALL FROM c",
            "FETCH BACKWARD ALL FROM c",
            "SELECT name, is_holdable FROM pg_cursors",
        ),
        holding="none",
    ),
    Attack(
        "a cursor over tables",
        "rights are checked when it is opened",
        ("BEGIN", "DECLARE c CURSOR FOR SELECT text FROM ragspine.chunk", "FETCH ALL FROM c", "ROLLBACK"),
    ),
    Attack(
        "savepoints",
        "a grant that was taken on after a savepoint is gone with it",
        (
            "BEGIN",
            "SAVEPOINT s",
            "SELECT ragspine.assume('{valid}')",
            "ROLLBACK TO s",
            _SEARCH,
            "RELEASE s",
            "COMMIT",
            _SEARCH,
        ),
        holding="none",
    ),
    Attack(
        "what is left after a transaction",
        "assume() is for one transaction",
        (
            "BEGIN",
            "SELECT ragspine.assume('{valid}')",
            "COMMIT",
            _SEARCH,
            "SELECT current_setting('ragspine.grant', true)",
        ),
        holding="none",
    ),
    Attack(
        "what a reset leaves",
        "a pool's DISCARD ALL takes a grant of the whole session away as well",
        ("DISCARD ALL", _SEARCH, "SELECT current_setting('ragspine.grant', true)"),
    ),
    Attack(
        "several statements in one message",
        "the first one's error keeps the others from running",
        f"SELECT 1 / 0; {_SEARCH}",
    ),
    Attack(
        "a function of the session's own",
        "DO blocks run as the caller",
        "DO $$ BEGIN PERFORM text FROM ragspine.chunk; END $$",
    ),
]
