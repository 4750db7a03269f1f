-- Folds the chunk counts and lengths of a library's versions, as ingest_fold_lexeme_stat does the document frequencies.
--
-- params: tenant_no, library_no, batch_no
-- Returns one row: rows deleted, rows written.
WITH kept AS MATERIALIZED (
  SELECT v.version_no
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state <> 'dropped'
     FOR KEY SHARE SKIP LOCKED
), many AS (
  SELECT s.version_no, s.acl_class_no
    FROM kept AS v
    JOIN ragspine.corpus_stat AS s ON s.tenant_no = %(tenant_no)s AND s.version_no = v.version_no
   GROUP BY s.version_no, s.acl_class_no
  HAVING count(*) > 1
), locked AS MATERIALIZED (
  SELECT k.tid
    FROM many AS m
   CROSS JOIN LATERAL (
          SELECT s.ctid AS tid
            FROM ragspine.corpus_stat AS s
           WHERE s.tenant_no = %(tenant_no)s AND s.version_no = m.version_no AND s.acl_class_no = m.acl_class_no
          OFFSET 0
             FOR UPDATE SKIP LOCKED) AS k
), gone AS (
  DELETE FROM ragspine.corpus_stat AS s
   WHERE s.ctid = ANY (ARRAY(SELECT k.tid FROM locked AS k))
  RETURNING s.version_no, s.acl_class_no, s.chunk_count, s.total_length
), folded AS (
  INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
  SELECT %(tenant_no)s, g.version_no, g.acl_class_no, %(batch_no)s, sum(g.chunk_count), sum(g.total_length)
    FROM gone AS g
   GROUP BY g.version_no, g.acl_class_no
  HAVING sum(g.chunk_count) <> 0 OR sum(g.total_length) <> 0
  RETURNING acl_class_no
)
SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM folded)
