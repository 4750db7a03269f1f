-- The policies on tables of schema ragspine.
--
-- No parameters. Returns one row a policy: table, policy, its comment (the hash of the text it was made from) or NULL,
-- whether it is for the table's owner alone.
SELECT c.relname::text, p.polname::text, obj_description(p.oid, 'pg_policy'), p.polroles = ARRAY[c.relowner]
  FROM pg_catalog.pg_policy AS p
  JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'ragspine'
 ORDER BY 1, 2
