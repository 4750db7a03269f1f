"""Objects of the attacker's own, where everybody may make temporary ones (as PostgreSQL has it by default)."""

from tests.access.attacks.attack import Attack, Mask
from tests.access.attacks.settings import PROBES

_SCHEMA = (Mask(r"pg_temp_\d+", "the session's schema of temporary objects is numbered by its place in the server"),)
_LEAK = (
    "CREATE FUNCTION pg_temp.leak(anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.0001"
    " AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$"
)


def _made(*statements: str) -> tuple[str, ...]:
    return (*statements, "SET search_path = pg_temp, ragspine, extensions, public, pg_catalog", *PROBES)


_SHADOWED = (
    "chunk",
    "document",
    "acl_class",
    "acl_reader",
    "grant_key",
    "tenant",
    "index_version",
    "chunk_lexical",
    "pg_index",
)

ATTACKS = [
    Attack(
        "tables named like ours",
        "a function that does not say its schema would read them",
        _made(
            *(f"CREATE TEMP TABLE {name} AS SELECT 1 AS tenant_no, 'mine' AS text" for name in _SHADOWED),
            "SELECT text FROM chunk",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "functions named like the server's",
        "a cheaper or better fitting one of the attacker's own would be run by the owner",
        _made(
            "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS $$ SELECT ''::bytea $$",
            "CREATE FUNCTION pg_temp.current_setting(text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$",
            "CREATE FUNCTION pg_temp.encode(bytea, text) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$",
            "CREATE FUNCTION pg_temp.granted_v1() RETURNS text LANGUAGE sql AS $$ SELECT 'valid' $$",
            "CREATE FUNCTION pg_temp.coalesce_text(text) RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "operators of the attacker's own",
        "integer = integer decides every access",
        _made(
            "CREATE FUNCTION pg_temp.always(integer, integer) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$",
            "CREATE OPERATOR pg_temp.= (FUNCTION = pg_temp.always, LEFTARG = integer, RIGHTARG = integer)",
            "CREATE FUNCTION pg_temp.always(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$",
            "CREATE OPERATOR pg_temp.= (FUNCTION = pg_temp.always, LEFTARG = text, RIGHTARG = text)",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "types and domains of the attacker's own",
        "a CHECK runs with every value that is cast",
        _made(
            _LEAK,
            "CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.leak(VALUE))",
            "CREATE DOMAIN pg_temp.jsonb AS pg_catalog.jsonb CHECK (pg_temp.leak(VALUE))",
            "CREATE DOMAIN pg_temp.int4 AS pg_catalog.int4 CHECK (pg_temp.leak(VALUE))",
            "SELECT text::pg_temp.text FROM ragspine.chunk",
            "SELECT document_id::pg_temp.text IS NULL FROM ragspine.search('return')",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "a function with side effects in WHERE",
        "a cheap one is run before anything else is decided",
        (
            _LEAK,
            "SELECT document_id FROM ragspine.search('return') WHERE pg_temp.leak(text)",
            "SELECT document_id FROM ragspine.read_passages_v1(ARRAY[1, 2, 3, 4], ARRAY[1, 2, 3, 27]) WHERE"
            " pg_temp.leak(text)",
            "SELECT ragspine.find_document_v1('handbook', 'open') WHERE pg_temp.leak(1)",
            "SELECT chunk_no FROM ragspine.lexical_leg_v1(4, 'return', 9) AS l WHERE pg_temp.leak(l)",
            "SELECT FROM ragspine.chunk WHERE pg_temp.leak(text)",
            "SELECT FROM ragspine.document_field WHERE pg_temp.leak(key)",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "casts, views and rules of the attacker's own",
        "over what the attacker may not read they fail when they are used",
        (
            "CREATE TEMP VIEW leak AS SELECT text FROM ragspine.chunk",
            "CREATE TEMP VIEW barrier WITH (security_invoker = false) AS SELECT * FROM ragspine.document",
            "SELECT * FROM leak",
            "SELECT * FROM barrier",
            "CREATE TEMP TABLE copied AS SELECT * FROM ragspine.search('return', 50)",
            "SELECT document_id FROM copied ORDER BY rank",
            "CREATE TEMP TABLE heir () INHERITS (ragspine.chunk)",
            "CREATE TEMP TABLE alike (LIKE ragspine.chunk INCLUDING ALL)",
            "CREATE TEMP TABLE referring (tenant_no integer, document_no bigint,"
            " FOREIGN KEY (tenant_no, document_no) REFERENCES ragspine.document)",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "a definer function of the attacker's own",
        "it has the attacker's rights",
        (
            "CREATE FUNCTION pg_temp.mine() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER"
            " AS $$ SELECT text FROM ragspine.chunk $$",
            "SELECT * FROM pg_temp.mine()",
            "ALTER FUNCTION pg_temp.mine() OWNER TO owner",
            "CREATE FUNCTION pg_temp.later() RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY"
            " SELECT c.text FROM ragspine.chunk AS c; END $$",
            "SELECT * FROM pg_temp.later()",
            "CREATE FUNCTION pg_temp.both() RETURNS bigint LANGUAGE sql STABLE"
            " AS $$ SELECT count(*) FROM ragspine.search('return', 50) $$",
            "SELECT pg_temp.both()",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "statistics of a temporary table",
        "an estimate of a join with our tables needs a right on them",
        (
            "CREATE TEMP TABLE guesses AS SELECT 'word' || n AS text FROM generate_series(1, 9) AS n",
            "EXPLAIN SELECT FROM guesses AS g JOIN ragspine.chunk AS c ON c.text = g.text",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "a trigger or an event of the attacker's own",
        "on temporary tables alone",
        (
            "CREATE TEMP TABLE mine (n integer)",
            "CREATE FUNCTION pg_temp.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', NEW;"
            " RETURN NEW; END $$",
            "CREATE TRIGGER seen BEFORE INSERT ON mine FOR EACH ROW EXECUTE FUNCTION pg_temp.seen()",
            "CREATE TRIGGER seen BEFORE INSERT ON ragspine.chunk FOR EACH ROW EXECUTE FUNCTION pg_temp.seen()",
            "CREATE EVENT TRIGGER seen ON ddl_command_end EXECUTE FUNCTION pg_temp.seen()",
        ),
        temporary=True,
        masks=_SCHEMA,
    ),
    Attack(
        "operators and functions in a schema of everybody's",
        "public was open to all before PostgreSQL 15; a path that begins with it finds the attacker's own first",
        (
            "CREATE FUNCTION public.always(integer, integer) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$",
            "CREATE FUNCTION public.always(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$",
            "CREATE OPERATOR public.= (FUNCTION = public.always, LEFTARG = integer, RIGHTARG = integer)",
            "CREATE OPERATOR public.= (FUNCTION = public.always, LEFTARG = text, RIGHTARG = text)",
            "SET search_path = public, pg_catalog",
            *PROBES,
        ),
    ),
]
