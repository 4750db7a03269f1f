-- Deletes the stored chunks of the documents that are rewritten, by document and in every version, or in one.
--
-- An array, not a join: no misjudged order of joins can make this slow.
--
-- params: tenant_no, version_no (null: every version)
-- Returns one row: the number of deleted chunks.
WITH gone AS (
  DELETE FROM ragspine.chunk AS c
   WHERE c.tenant_no = %(tenant_no)s AND (%(version_no)s::integer IS NULL OR c.version_no = %(version_no)s)
     AND c.document_no = ANY (
           ARRAY(SELECT p.document_no FROM pg_temp.ragspine_stage_plan AS p WHERE p.existed AND p.rewrite))
  RETURNING c.chunk_no
)
SELECT count(*) FROM gone
