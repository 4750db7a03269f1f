-- Functions of schema ragspine, but those that the gate may own, of somebody else than the schema's owner.
--
-- params: gate_functions (names). Returns one row a function: name, owner.
SELECT p.proname::text, pg_get_userbyid(p.proowner)::text
  FROM pg_catalog.pg_proc AS p
  JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
 WHERE n.nspname = 'ragspine' AND p.proowner <> n.nspowner
   AND p.proname <> ALL (%(gate_functions)s::text[])
 ORDER BY 1
