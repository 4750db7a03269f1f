-- Relations, columns, constraints and indexes of schema ragspine, with what can be wrong about one that is there.
--
-- No parameters. Returns one row an object: kind, name (a column's and constraint's with its table), fault or NULL.
WITH
  ours AS (
    SELECT n.oid, n.nspowner FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'ragspine'
  ),
  relation AS (
    SELECT c.oid, c.relname::text AS name, c.relkind, c.relowner, ours.nspowner
      FROM pg_catalog.pg_class AS c
      JOIN ours ON ours.oid = c.relnamespace
  )
SELECT CASE r.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, r.name,
       CASE WHEN r.relowner <> r.nspowner THEN 'its owner is not the owner of schema ragspine' END
  FROM relation AS r
 WHERE r.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
UNION ALL
SELECT 'column', r.name || '.' || a.attname, NULL
  FROM relation AS r
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE r.relkind IN ('r', 'p')
UNION ALL
SELECT 'constraint', r.name || '.' || k.conname, CASE WHEN NOT k.convalidated THEN 'it is not validated' END
  FROM relation AS r
  JOIN pg_catalog.pg_constraint AS k ON k.conrelid = r.oid
UNION ALL
SELECT 'index', r.name, CASE WHEN NOT i.indisvalid OR NOT i.indisready THEN 'it is not valid' END
  FROM relation AS r
  JOIN pg_catalog.pg_index AS i ON i.indexrelid = r.oid
UNION ALL
SELECT 'trigger', r.name || '.' || t.tgname, 'it is switched off'
  FROM relation AS r
  JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = r.oid AND t.tgenabled IN ('D', 'R')
 ORDER BY 1, 2
