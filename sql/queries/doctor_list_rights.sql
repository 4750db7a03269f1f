-- Every right that somebody other than its owner has on schema ragspine and what is in it; of ragspine_gate, who owns the
-- functions that hand out text, every right.
--
-- No parameters. Returns one row a right: kind (schema, table, column, sequence, function, default), name (without schema
-- and, for a function, without arguments), role (PUBLIC for everybody), privilege, whether it may be handed on.
WITH
  acl (kind, name, owner, acl) AS (
    SELECT 'schema', n.nspname::text, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
      FROM pg_catalog.pg_namespace AS n
     WHERE n.nspname = 'ragspine'
    UNION ALL
    SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, c.relname::text, c.relowner,
           coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner))
      FROM pg_catalog.pg_class AS c
      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
     WHERE n.nspname = 'ragspine' AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    UNION ALL
    SELECT 'column', c.relname || '.' || a.attname, c.relowner, a.attacl
      FROM pg_catalog.pg_class AS c
      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attacl IS NOT NULL
     WHERE n.nspname = 'ragspine'
    UNION ALL
    SELECT 'function', p.proname::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
      FROM pg_catalog.pg_proc AS p
      JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
     WHERE n.nspname = 'ragspine'
    UNION ALL
    SELECT 'default', CASE d.defaclobjtype WHEN 'r' THEN 'tables' WHEN 'S' THEN 'sequences' WHEN 'f' THEN 'functions'
                           ELSE 'types' END, d.defaclrole, d.defaclacl
      FROM pg_catalog.pg_default_acl AS d
      JOIN pg_catalog.pg_namespace AS n ON n.oid = d.defaclnamespace
     WHERE n.nspname = 'ragspine'
  )
SELECT acl.kind, acl.name, coalesce(r.rolname::text, 'PUBLIC'), entry.privilege_type, entry.is_grantable
  FROM acl
 CROSS JOIN LATERAL aclexplode(acl.acl) AS entry
  LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = entry.grantee
 WHERE entry.grantee <> acl.owner OR acl.owner = to_regrole('ragspine_gate')
 ORDER BY 1, 2, 3, 4
