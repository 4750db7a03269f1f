"""As the login that writes. It may read every document; what it must not do is sign grants or become more."""

from tests.access.attacks.attack import Attack

ATTACKS = [
    Attack(
        "the keys, as ingest",
        "who writes documents is not to choose who reads them",
        (
            "TABLE ragspine.grant_key",
            "COPY ragspine.grant_key TO STDOUT",
            "INSERT INTO ragspine.grant_key VALUES ('00000000', decode(repeat('00', 64), 'hex'), decode(repeat('00',"
            " 64), 'hex'))",
            "UPDATE ragspine.grant_key SET retired_at = NULL",
            "SELECT most_common_vals FROM pg_stats WHERE tablename = 'grant_key'",
        ),
        login="ingest",
    ),
    Attack(
        "searching, as ingest",
        "the two authorities are two logins",
        (
            "SELECT * FROM ragspine.search('return')",
            "SELECT * FROM ragspine.lexical_leg_v1(4, 'return', 9)",
            "SELECT * FROM ragspine.read_passages_v1(ARRAY[4], ARRAY[27])",
            "SELECT ragspine.find_document_v1('handbook', 'open')",
            "SELECT * FROM ragspine.libraries()",
        ),
        login="ingest",
    ),
    Attack(
        "becoming more, as ingest",
        "its rights are on rows alone",
        (
            "SET ROLE owner",
            "SET ROLE ragspine_gate",
            "SET ROLE ragspine_reader",
            "ALTER TABLE ragspine.document DISABLE ROW LEVEL SECURITY",
            "CREATE FUNCTION ragspine.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
            "CREATE TRIGGER t AFTER INSERT ON ragspine.chunk EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "CREATE POLICY p ON ragspine.chunk USING (true)",
            "GRANT SELECT ON ragspine.chunk TO reader",
            "TRUNCATE ragspine.chunk",
            "UPDATE ragspine.alembic_version SET version_num = 'x'",
            "COPY ragspine.chunk TO PROGRAM 'cat'",
        ),
        login="ingest",
    ),
    Attack(
        "the planner's statistics by refresh_planner_v1",
        "the one function that ingest runs as the owner gives a number back",
        (
            "SET client_min_messages = debug1",
            "SET debug_print_plan = on",
            "SELECT ragspine.refresh_planner_v1(1, 1)",
            "SELECT ragspine.refresh_planner_v1(NULL, NULL)",
        ),
        login="ingest",
        left_open="Sizes",
    ),
]
