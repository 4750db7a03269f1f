"""What every migrate makes true again, whatever was before: group roles, policies, rights.

All of it is idempotent SQL in DO blocks, the same text online and offline, because each part depends on what the
database allows: a group role is created where the migrating role may, used where it exists, else left out. Whoever
makes the roles later runs ``ragspine-pg migrate`` again. Where nothing has changed, nothing is locked.
"""

import hashlib
import re
from collections.abc import Iterator

from ragspine_pg.schema.privileges import FUNCTIONS, GATE, GATE_FUNCTIONS, RELATIONS, ROLES, SEQUENCES
from ragspine_pg.statement.catalogue import read
from ragspine_pg.statement.render import render

POLICIES: tuple[str, ...] = ("readable", "ragspine_reader", "ragspine_ingest")
"""The files of ``sql/policies``, in order."""

_POLICY = re.compile(
    r"^CREATE POLICY (?P<policy>\w+)\s+ON ragspine\.(?P<table>\w+)\b.*?;[ \t]*$", re.MULTILINE | re.DOTALL
)

# These make a file runnable by hand, again and again; here the policy's comment decides, and the DDL enables.
_BY_HAND = re.compile(
    r"^(DROP POLICY IF EXISTS \w+ ON ragspine\.\w+|ALTER TABLE ragspine\.\w+ ENABLE ROW LEVEL SECURITY);[ \t]*$",
    re.MULTILINE,
)


def roles_sql() -> str:
    """Creates the missing group roles if the migrating role may (superuser or CREATEROLE)."""
    wanted = ", ".join(f"'{role}'" for role in ROLES)
    return f"""\
DO $roles$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY[{wanted}] LOOP
    IF pg_catalog.to_regrole(wanted) IS NULL
       AND (SELECT rolsuper OR rolcreaterole FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
      BEGIN
        EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', wanted);
        IF wanted = '{GATE}' THEN
          -- To give functions to it (SET), and to replace them and grant them again later (INHERIT).
          EXECUTE pg_catalog.format('GRANT %I TO CURRENT_USER WITH INHERIT TRUE, SET TRUE', wanted);
        END IF;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- another database of this cluster was quicker
      END;
    END IF;
  END LOOP;
END
$roles$"""  # noqa: S608 - names of our own


def gate_needed_sql() -> str:
    """Stops where the gate's role exists and the migrating role cannot give it its functions, or inherits nothing.

    One that does not inherit could give them, and at its next migrate would have no right on them. A gate that is left
    out in silence would be a backstop that everybody believes in. Who does not own the schema is not told to enter the
    gate: nothing but the lack of that right is the matter with such a login.
    """
    return f"""\
DO $needed$
BEGIN
  IF pg_catalog.to_regrole('{GATE}') IS NOT NULL
     AND EXISTS (SELECT FROM pg_catalog.pg_namespace
                  WHERE nspname = 'ragspine' AND pg_catalog.pg_has_role(nspowner, 'USAGE'))
     AND NOT (pg_catalog.pg_has_role(pg_catalog.to_regrole('{GATE}')::oid, 'SET')
              AND pg_catalog.pg_has_role(pg_catalog.to_regrole('{GATE}')::oid, 'USAGE')) THEN
    RAISE EXCEPTION USING ERRCODE = 'RS002', MESSAGE = pg_catalog.format(
      'nothing was migrated: role {GATE} exists, and %1$I cannot give it the functions behind which it puts row-level'
      ' security; as an administrator: GRANT {GATE} TO %1$I WITH INHERIT TRUE, SET TRUE; then migrate again',
      current_user
    );
  END IF;
END
$needed$"""


def policy_statements(text: str) -> Iterator[tuple[str, str, str]]:
    """(table, policy, statement) of each ``CREATE POLICY`` in a policy file.

    :raises ValueError: something else than policies is in the file.
    """
    for match in _POLICY.finditer(text):
        yield match["table"], match["policy"], match[0].strip().removesuffix(";")
    rest = re.sub(r"--[^\n]*", "", _BY_HAND.sub("", _POLICY.sub("", text))).strip()
    if rest:
        raise ValueError(f"a policy file holds only policies on tables of ragspine, found: {rest[:60]}")


def policies_sql(vector_schema: str) -> list[str]:
    """Creates each policy that is missing or was made from another text.

    One that names an absent group role waits until the role exists. The text's hash is kept as the policy's comment, so
    that a migrate with nothing to do locks no table.
    """
    return [
        _policy_sql(*statement)
        for name in POLICIES
        for statement in policy_statements(render(read("policies", name), vector_schema))
    ]


def _policy_sql(table: str, policy: str, statement: str) -> str:
    digest = hashlib.sha256(statement.encode()).hexdigest()
    conditions = [
        f"pg_catalog.to_regclass('ragspine.{table}') IS NOT NULL",
        *(f"pg_catalog.to_regrole('{role}') IS NOT NULL" for role in ROLES if re.search(rf"\b{role}\b", statement)),
        "NOT EXISTS (SELECT FROM pg_catalog.pg_policy"
        f" WHERE polname = '{policy}' AND polrelid = pg_catalog.to_regclass('ragspine.{table}')"
        f" AND pg_catalog.obj_description(oid, 'pg_policy') = 'sha256 {digest}')",
    ]
    condition = "\n     AND ".join(conditions)
    return f"""\
DO $policy$
BEGIN
  IF {condition} THEN
    IF EXISTS (SELECT FROM pg_catalog.pg_policy
                WHERE polname = '{policy}' AND polrelid = 'ragspine.{table}'::regclass) THEN
      DROP POLICY {policy} ON ragspine.{table};
    END IF;
    {statement};
    COMMENT ON POLICY {policy} ON ragspine.{table} IS 'sha256 {digest}';
  END IF;
END
$policy$"""


def rights_sql() -> str:
    """Takes everything of ours from PUBLIC and the group roles, then grants what ``privileges`` says.

    What a group could hand on, and a member did, goes with it.
    """
    grants: list[str] = []
    for role in ROLES:
        grants.append(f"('schema', 'ragspine', '{role}', 'USAGE')")
        for kind, table in (("table", RELATIONS), ("sequence", SEQUENCES)):
            grants += [f"('{kind}', '{name}', '{role}', '{of[role]}')" for name, of in table.items() if role in of]
        grants += [f"('function', '{name}', '{role}', 'EXECUTE')" for name, roles in FUNCTIONS.items() if role in roles]
    values = ",\n      ".join(grants)
    roles = ", ".join(f"'{role}'" for role in ROLES)
    return f"""\
DO $rights$
DECLARE
  grantee text;
  target record;
BEGIN
  FOR grantee IN
    SELECT 'PUBLIC' UNION ALL SELECT rolname::text FROM pg_catalog.pg_roles WHERE rolname IN ({roles})
  LOOP
    -- CASCADE, for what a group was given to hand on and a member of it has: it would stop the migration.
    EXECUTE 'REVOKE ALL ON SCHEMA ragspine FROM ' || grantee || ' CASCADE';
    EXECUTE 'REVOKE ALL ON ALL TABLES IN SCHEMA ragspine FROM ' || grantee || ' CASCADE';
    EXECUTE 'REVOKE ALL ON ALL SEQUENCES IN SCHEMA ragspine FROM ' || grantee || ' CASCADE';
    EXECUTE 'REVOKE ALL ON ALL ROUTINES IN SCHEMA ragspine FROM ' || grantee || ' CASCADE';
    -- Everybody may use new types, those of tables' rows among them: a column of one would stop ALTER TABLE.
    FOR target IN
      SELECT t.oid::regtype::text AS named
        FROM pg_catalog.pg_type AS t
       WHERE t.typnamespace = 'ragspine'::regnamespace AND t.typcategory <> 'A' AND t.typtype <> 'm'
         AND EXISTS (SELECT
                       FROM pg_catalog.aclexplode(COALESCE(t.typacl, pg_catalog.acldefault('T', t.typowner)))
                         AS a (grantor, holder)
                      WHERE a.holder = COALESCE(pg_catalog.to_regrole(NULLIF(grantee, 'PUBLIC'))::oid, 0))
    LOOP
      EXECUTE pg_catalog.format('REVOKE ALL ON TYPE %s FROM %s CASCADE', target.named, grantee);
    END LOOP;
  END LOOP;
  -- What does not exist yet, or no longer, is left out: an older revision is brought up with the newest rights.
  FOR target IN
    SELECT wish.kind, existing.named, wish.role, wish.rights
      FROM (VALUES
      {values}
      ) AS wish (kind, name, role, rights)
      JOIN pg_catalog.pg_roles AS known ON known.rolname = wish.role
      JOIN (
        SELECT 'schema' AS kind, 'ragspine' AS name, 'ragspine' AS named
        UNION ALL
        SELECT CASE relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, relname::text, oid::regclass::text
          FROM pg_catalog.pg_class
         WHERE relnamespace = 'ragspine'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
        UNION ALL
        SELECT 'function', proname::text, oid::regprocedure::text
          FROM pg_catalog.pg_proc
         WHERE pronamespace = 'ragspine'::regnamespace AND prokind = 'f'
      ) AS existing ON existing.kind = wish.kind AND existing.name = wish.name
     ORDER BY wish.kind, existing.named, wish.role
  LOOP
    EXECUTE pg_catalog.format('GRANT %s ON %s %s TO %I', target.rights, target.kind, target.named, target.role);
  END LOOP;
END
$rights$"""  # noqa: S608 - names of our own


def gate_sql() -> str:
    """Gives the gate its functions, where the role exists; see ``gate_needed_sql``."""
    names = ", ".join(f"'{name}'" for name in GATE_FUNCTIONS)
    return f"""\
DO $gate$
DECLARE
  given text;
BEGIN
  IF pg_catalog.to_regrole('{GATE}') IS NULL THEN
    RETURN;
  END IF;
  FOR given IN
    SELECT p.oid::regprocedure::text
      FROM pg_catalog.pg_proc AS p
     WHERE p.pronamespace = 'ragspine'::regnamespace AND p.proname IN ({names})
       AND p.proowner <> pg_catalog.to_regrole('{GATE}')::oid
  LOOP
    -- The new owner must be able to create in the schema, for the moment of the change alone.
    GRANT CREATE ON SCHEMA ragspine TO {GATE};
    EXECUTE 'ALTER FUNCTION ' || given || ' OWNER TO {GATE}';
    REVOKE CREATE ON SCHEMA ragspine FROM {GATE};
  END LOOP;
END
$gate$"""  # noqa: S608 - names of our own


def state_sql(vector_schema: str) -> list[str]:
    """Everything above, in order, for a schema that exists."""
    return [roles_sql(), gate_needed_sql(), *policies_sql(vector_schema), rights_sql(), gate_sql()]
