-- Tables of schema ragspine that the login may read without being bound by row-level security.
--
-- No parameters. Returns one row a table: its name. The revision is no tenant's data.
SELECT c.relname::text
  FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'ragspine' AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
   AND has_table_privilege(c.oid, 'SELECT') AND NOT row_security_active(c.oid)
 ORDER BY 1
