-- The names of the functions in schema ragspine, overloads once each: what rights are compared with.
--
-- No parameters. Returns one row a name.
SELECT DISTINCT p.proname::text
  FROM pg_catalog.pg_proc AS p
  JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
 WHERE n.nspname = 'ragspine'
 ORDER BY 1
