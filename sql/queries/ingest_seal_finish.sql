-- Takes out of the tail what a seal has given places, and deletes the runs that it merged.
--
-- Only what was seen when the postings were made: a chunk that had another class just then, and has this one again, is in no
-- posting. Impacts never change, so postings once made stay true. Whoever relabels or deletes such a chunk at this moment is
-- not waited for: its row stays in the tail until the next time, or goes with the chunk, and a chunk that stands in both is
-- counted once. Rows are looked up by key and deleted where they were found, as in ingest_fold_lexeme_stat.
--
-- params: tenant_no, version_no, acl_class_no, run_nos (merged)
-- Returns one row: how many chunks left the tail.
WITH segment AS (
  DELETE FROM ragspine.posting_segment AS s
   WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s AND s.acl_class_no = %(acl_class_no)s
     AND s.run_no = ANY (%(run_nos)s::integer[])
  RETURNING s.segment_no
), block AS (
  DELETE FROM ragspine.posting_block AS b
   WHERE b.tenant_no = %(tenant_no)s AND b.version_no = %(version_no)s AND b.acl_class_no = %(acl_class_no)s
     AND b.segment_no = ANY (ARRAY(SELECT s.segment_no FROM segment AS s))
), list AS (
  DELETE FROM ragspine.posting_list AS l
   WHERE l.tenant_no = %(tenant_no)s AND l.version_no = %(version_no)s AND l.acl_class_no = %(acl_class_no)s
     AND l.run_no = ANY (%(run_nos)s::integer[])
), locked AS MATERIALIZED (
  SELECT k.tid
    FROM pg_temp.ragspine_seal_chunk AS c
   CROSS JOIN LATERAL (
          SELECT t.ctid AS tid
            FROM ragspine.lexical_tail AS t
           WHERE t.tenant_no = %(tenant_no)s AND t.version_no = %(version_no)s AND t.acl_class_no = %(acl_class_no)s
             AND t.chunk_no = c.chunk_no
          OFFSET 0
             FOR UPDATE SKIP LOCKED) AS k
   WHERE c.seen
), tail AS (
  DELETE FROM ragspine.lexical_tail AS t
   WHERE t.ctid = ANY (ARRAY(SELECT k.tid FROM locked AS k))
  RETURNING t.chunk_no
)
SELECT count(*) FROM tail
