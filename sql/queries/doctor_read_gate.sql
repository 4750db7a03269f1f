-- The owner of schema ragspine, and the role that owns the functions which hand out text.
--
-- params: gate, ingest (names). Returns one row, or none without the schema: the schema's owner, whether the gate exists,
-- whether it can log in, whether the owner can give it functions, the sorted names of the roles that row-level security
-- does not bind and that it is or can become, and of the tables it may read that have row-level security switched off.
SELECT o.rolname::text, g.oid IS NOT NULL, coalesce(g.rolcanlogin, false),
       coalesce(pg_has_role(o.oid, g.oid, 'SET') AND pg_has_role(o.oid, g.oid, 'USAGE'), false),
       ARRAY(SELECT r.rolname::text
               FROM pg_catalog.pg_roles AS r
              WHERE (r.rolsuper OR r.rolbypassrls OR r.rolname = %(ingest)s OR r.oid = n.nspowner
                     OR r.oid IN (SELECT c.relowner FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid))
                AND (g.oid = r.oid OR NOT g.rolsuper AND pg_has_role(g.oid, r.oid, 'MEMBER'))
              ORDER BY 1),
       ARRAY(SELECT c.relname::text
               FROM pg_catalog.pg_class AS c
              WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
                AND NOT c.relrowsecurity AND has_table_privilege(g.oid, c.oid, 'SELECT')
              ORDER BY 1)
  FROM pg_catalog.pg_namespace AS n
  JOIN pg_catalog.pg_roles AS o ON o.oid = n.nspowner
  LEFT JOIN pg_catalog.pg_roles AS g ON g.rolname = %(gate)s
 WHERE n.nspname = 'ragspine'
