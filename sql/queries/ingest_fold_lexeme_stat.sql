-- Folds the document frequencies of a library's versions: one row for each lexeme and class, none where the sum is zero.
--
-- Safe beside writers: they only append, and what is summed is exactly what this statement deletes. Safe beside another
-- fold: rows that one has locked are skipped, and stay a sum of two rows until the next time. Safe beside who deletes a
-- version: it is left out once that began, and held until the end otherwise (the rows that are written need it, by their
-- foreign key, while the deletion needs those that are folded). Each key's rows are looked up
-- by the key (OFFSET 0) and deleted where they were found: for a tenant that the planner's statistics have not seen, a join
-- reads all the tenant's rows for every key (28 s for one document, with 140 batches to fold).
--
-- params: tenant_no, library_no, batch_no
-- Returns one row: rows deleted, rows written.
WITH kept AS MATERIALIZED (
  SELECT v.version_no
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state <> 'dropped'
     FOR KEY SHARE SKIP LOCKED
), many AS (
  SELECT s.version_no, s.lexeme_no, s.acl_class_no
    FROM kept AS v
    JOIN ragspine.lexeme_stat AS s ON s.tenant_no = %(tenant_no)s AND s.version_no = v.version_no
   GROUP BY s.version_no, s.lexeme_no, s.acl_class_no
  HAVING count(*) > 1
), locked AS MATERIALIZED (
  SELECT k.tid
    FROM many AS m
   CROSS JOIN LATERAL (
          SELECT s.ctid AS tid
            FROM ragspine.lexeme_stat AS s
           WHERE s.tenant_no = %(tenant_no)s AND s.version_no = m.version_no AND s.lexeme_no = m.lexeme_no
             AND s.acl_class_no = m.acl_class_no
          OFFSET 0
             FOR UPDATE SKIP LOCKED) AS k
), gone AS (
  DELETE FROM ragspine.lexeme_stat AS s
   WHERE s.ctid = ANY (ARRAY(SELECT k.tid FROM locked AS k))
  RETURNING s.version_no, s.lexeme_no, s.acl_class_no, s.chunk_count
), folded AS (
  INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
  SELECT %(tenant_no)s, g.version_no, g.lexeme_no, g.acl_class_no, %(batch_no)s, sum(g.chunk_count)
    FROM gone AS g
   GROUP BY g.version_no, g.lexeme_no, g.acl_class_no
  HAVING sum(g.chunk_count) <> 0
  RETURNING lexeme_no
)
SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM folded)
