-- SECURITY DEFINER functions of schema ragspine that run as somebody else than the schema's owner.
--
-- No parameters. Returns one row a function: name, owner.
SELECT p.proname::text, pg_get_userbyid(p.proowner)::text
  FROM pg_catalog.pg_proc AS p
  JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
 WHERE n.nspname = 'ragspine' AND p.proowner <> n.nspowner
 ORDER BY 1
