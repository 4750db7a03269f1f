-- The login that asks.
--
-- No parameters. Returns one row: name, whether it is a superuser, bypasses row-level security, is or may become the owner of
-- schema ragspine, may make temporary tables; whether a caller without any right of its own may make them; the sorted names
-- of the superusers and bypassing roles that it is a member of (none for a superuser, who is of all).
SELECT r.rolname::text, r.rolsuper, r.rolbypassrls,
       coalesce((SELECT pg_has_role(n.nspowner, 'MEMBER') FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'ragspine'),
                false),
       has_database_privilege(current_database(), 'TEMPORARY'),
       has_database_privilege('public', current_database(), 'TEMPORARY'),
       ARRAY(SELECT free.rolname::text
               FROM pg_catalog.pg_roles AS free
              WHERE (free.rolsuper OR free.rolbypassrls) AND free.oid <> r.oid AND NOT r.rolsuper
                AND pg_has_role(free.oid, 'MEMBER')
              ORDER BY 1)
  FROM pg_catalog.pg_roles AS r
 WHERE r.rolname = current_user
