-- Tables of schema ragspine on which the login has any right, columns included. The revision is no tenant's data.
--
-- No parameters. Returns one row a table: its name, whether row-level security binds the login.
SELECT c.relname::text, row_security_active(c.oid)
  FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = 'ragspine' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname <> 'alembic_version'
   AND (has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
 ORDER BY 1
