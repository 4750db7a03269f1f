-- Every right that somebody other than its owner has on schema ragspine and what is in it; of ragspine_gate, who owns the
-- functions that hand out text, every right.
--
-- No parameters. Returns one row a right: kind (schema, table, column, sequence, function, type, default, where new objects
-- in any schema are meant: default everywhere), name (without schema and, for a function, without arguments), role (PUBLIC
-- for everybody), privilege, whether it may be handed on.
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
    -- Of arrays and multiranges the element's and the range's count.
    SELECT 'type', t.typname::text, t.typowner, coalesce(t.typacl, acldefault('T', t.typowner))
      FROM pg_catalog.pg_type AS t
      JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
     WHERE n.nspname = 'ragspine' AND t.typcategory <> 'A' AND t.typtype <> 'm'
    UNION ALL
    -- What the owner gives with everything new, wherever it is; what everybody has by default anyway is left out.
    SELECT CASE d.defaclnamespace WHEN 0 THEN 'default everywhere' ELSE 'default' END,
           CASE d.defaclobjtype WHEN 'r' THEN 'tables' WHEN 'S' THEN 'sequences' WHEN 'f' THEN 'functions' ELSE 'types' END,
           d.defaclrole,
           CASE WHEN d.defaclnamespace = 0 AND d.defaclobjtype IN ('f', 'T')
                -- NULL, which gives no row, where nothing is left: of an empty array aclexplode says that it is none of rights.
                THEN (SELECT array_agg(given) FROM unnest(d.defaclacl) AS given
                       WHERE NOT given = ANY (acldefault(d.defaclobjtype, d.defaclrole)))
                ELSE d.defaclacl END
      FROM pg_catalog.pg_default_acl AS d
      JOIN pg_catalog.pg_namespace AS n
        ON n.oid = d.defaclnamespace OR d.defaclnamespace = 0 AND n.nspowner = d.defaclrole
     WHERE n.nspname = 'ragspine' AND d.defaclobjtype IN ('r', 'S', 'f', 'T')
  )
SELECT acl.kind, acl.name, coalesce(r.rolname::text, 'PUBLIC'), entry.privilege_type, entry.is_grantable
  FROM acl
 CROSS JOIN LATERAL aclexplode(acl.acl) AS entry
  LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = entry.grantee
 WHERE entry.grantee <> acl.owner OR acl.owner = to_regrole('ragspine_gate')
 ORDER BY 1, 2, 3, 4
