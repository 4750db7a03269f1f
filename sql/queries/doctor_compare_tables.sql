-- Columns, constraints and indexes of schema ragspine that are not like those of the twins that were just made in the
-- temporary schema.
--
-- No parameters. Returns one row each: kind, name with its table, and how: stray or changed. What is missing altogether is
-- another check's business, and so are tables and indexes that have no twin.
WITH
  relation AS (
    SELECT c.oid, c.relname::text AS label, c.relnamespace <> pg_my_temp_schema() AS ours
      FROM pg_catalog.pg_class AS c
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace IN (pg_my_temp_schema(), to_regnamespace('ragspine'))
  ),
  part (kind, label, ours, definition) AS (
    SELECT 'column', r.label || '.' || a.attname, r.ours,
           (format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attcollation, a.attidentity, a.attgenerated,
            pg_get_expr(d.adbin, d.adrelid))::text
      FROM relation AS r
      JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = r.oid AND d.adnum = a.attnum
    UNION ALL
    -- PostgreSQL 18 keeps NOT NULL as constraints, too: the columns say it.
    SELECT 'constraint', r.label || '.' || k.conname, r.ours, pg_get_constraintdef(k.oid)
      FROM relation AS r
      JOIN pg_catalog.pg_constraint AS k ON k.conrelid = r.oid AND k.contype NOT IN ('n', 't')
    UNION ALL
    SELECT 'index', c.relname::text, r.ours, pg_get_indexdef(i.indexrelid)
      FROM relation AS r
      JOIN pg_catalog.pg_index AS i ON i.indrelid = r.oid
      JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
  ),
  -- A definition names the schema of its own table, or of one it refers to, as the search path has it.
  bare AS (
    SELECT kind, label, ours, regexp_replace(definition, '\m(ragspine|pg_temp(_\d+)?)\.', '', 'g') AS definition FROM part
  )
SELECT actual.kind, actual.label, CASE WHEN twin.label IS NULL THEN 'stray' ELSE 'changed' END
  FROM bare AS actual
  LEFT JOIN bare AS twin ON NOT twin.ours AND twin.kind = actual.kind AND twin.label = actual.label
 WHERE actual.ours
   AND actual.definition IS DISTINCT FROM twin.definition
   AND (twin.label IS NOT NULL OR actual.kind <> 'index')
   AND (actual.kind = 'index'
        OR EXISTS (SELECT FROM relation AS r WHERE NOT r.ours AND r.label = split_part(actual.label, '.', 1)))
 ORDER BY 1, 2
