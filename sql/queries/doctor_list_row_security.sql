-- Row-level security of the tables in schema ragspine.
--
-- No parameters. Returns one row a table: name, whether it is enabled, whether it is forced on the owner, whether a
-- permissive policy for all commands shows the owner every row.
SELECT c.relname::text, c.relrowsecurity, c.relforcerowsecurity,
       EXISTS (SELECT
                 FROM pg_catalog.pg_policy AS p
                WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd = '*'
                  AND pg_get_expr(p.polqual, p.polrelid) = 'true'
                  AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'true') = 'true'
                  AND (0::oid = ANY (p.polroles) OR c.relowner = ANY (p.polroles)))
  FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'ragspine' AND c.relkind IN ('r', 'p')
 ORDER BY 1
