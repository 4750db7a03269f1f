-- What the login that asks may do besides: the server's own roles that it is a member of, its attributes, and where it may
-- make objects.
--
-- No parameters. Returns one row a power: 'role', 'attribute', 'schema' or 'database', and its name.
SELECT 'role', r.rolname::text
  FROM pg_catalog.pg_roles AS r
 WHERE r.rolname ~ '^pg_' AND r.rolname <> 'pg_database_owner' AND pg_has_role(current_user, r.oid, 'MEMBER')
UNION ALL
SELECT 'attribute', a.name
  FROM pg_catalog.pg_roles AS r
 CROSS JOIN LATERAL (VALUES ('CREATEROLE', r.rolcreaterole), ('CREATEDB', r.rolcreatedb)) AS a (name, held)
 WHERE r.rolname = current_user AND a.held
UNION ALL
SELECT 'schema', n.nspname::text
  FROM pg_catalog.pg_namespace AS n
 WHERE n.nspname !~ '^pg_' AND has_schema_privilege(n.oid, 'CREATE')
UNION ALL
SELECT 'database', current_database()::text
 WHERE has_database_privilege(current_database(), 'CREATE')
 ORDER BY 1, 2
