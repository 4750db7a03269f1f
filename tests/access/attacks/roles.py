"""Becoming somebody else."""

from tests.access.attacks.attack import Attack

_LOOK = ("SELECT current_user", "SELECT text FROM ragspine.chunk", "TABLE ragspine.grant_key")
_OTHERS = ("owner", "ingest", "postgres", "ragspine_gate", "ragspine_ingest", "pg_read_all_data", "pg_database_owner")


def _becoming(*how: str) -> tuple[str, ...]:
    return tuple(statement for one in how for statement in (one, *_LOOK, "RESET ROLE"))


ATTACKS = [
    Attack("SET ROLE", "memberships that were given by mistake", _becoming(*(f"SET ROLE {role}" for role in _OTHERS))),
    Attack(
        "SET SESSION AUTHORIZATION",
        "for superusers",
        _becoming(*(f"SET SESSION AUTHORIZATION {role}" for role in _OTHERS)),
    ),
    Attack(
        "the role as a setting",
        "set_config instead of SET, and local to a transaction",
        _becoming(*(f"SELECT set_config('role', '{role}', false)" for role in _OTHERS)),
    ),
    Attack(
        "its own group", "ragspine_reader itself has no right on a table either", _becoming("SET ROLE ragspine_reader")
    ),
    Attack("row_security off", "it turns policies into errors, not off", _becoming("SET row_security = off")),
    Attack(
        "row_security off around our functions",
        "the gate is bound by policies: its functions then fail as a whole",
        (
            "SET row_security = off",
            "SELECT * FROM ragspine.read_passages_v1(ARRAY[1, 2, 3, 4], ARRAY[1, 2, 3, 4])",
            "SELECT ragspine.find_document_v1('handbook', 'open')",
            "SELECT count(*) FROM ragspine.search('return an order')",
        ),
    ),
    Attack(
        "making oneself a member, or a role",
        "CREATEROLE and ADMIN OPTION",
        _becoming(
            "GRANT ragspine_ingest TO reader",
            "GRANT ragspine_gate TO reader",
            "ALTER ROLE reader SUPERUSER",
            "ALTER ROLE reader BYPASSRLS",
            "CREATE ROLE mine SUPERUSER",
            "ALTER ROLE ragspine_gate LOGIN PASSWORD 'x'",
            "REASSIGN OWNED BY owner TO reader",
            "ALTER DEFAULT PRIVILEGES FOR ROLE owner GRANT SELECT ON TABLES TO reader",
        ),
    ),
    Attack(
        "settings for others",
        "a setting of the owner's sessions or of the database",
        (
            "ALTER ROLE owner SET search_path = public",
            "ALTER ROLE ALL SET debug_print_plan = on",
            "ALTER DATABASE {database} SET search_path = public",
            "ALTER SYSTEM SET log_statement = 'all'",
            "SELECT pg_reload_conf()",
        ),
    ),
    Attack(
        "changing our functions",
        "or taking them over",
        (
            "CREATE OR REPLACE FUNCTION ragspine.granted_v1() RETURNS text LANGUAGE sql AS 'SELECT 1'",
            "ALTER FUNCTION ragspine.granted_v1() SECURITY INVOKER",
            "ALTER FUNCTION ragspine.granted_v1() SET search_path = public",
            "ALTER FUNCTION ragspine.caller_v1() RESET ALL",
            "ALTER FUNCTION ragspine.caller_v1() OWNER TO reader",
            "DROP FUNCTION ragspine.caller_v1() CASCADE",
            "CREATE FUNCTION ragspine.mine() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
            "CREATE SCHEMA mine",
            "CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
            "CREATE EXTENSION pg_trgm",
            "CREATE EXTENSION dblink",
            "CREATE LANGUAGE plperlu",
            "CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "CREATE CAST (text AS integer) WITH INOUT",
            "CREATE OPERATOR public.<<<< (FUNCTION = textlike, LEFTARG = text, RIGHTARG = text)",
            "CREATE SERVER mine FOREIGN DATA WRAPPER postgres_fdw",
        ),
    ),
]
