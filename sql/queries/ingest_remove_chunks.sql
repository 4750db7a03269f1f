-- Deletes the stored chunks of the documents that are rewritten, by document and in every version.
--
-- params: tenant_no
-- Returns one row: the number of deleted chunks.
WITH gone AS (
  DELETE FROM ragspine.chunk AS c
   USING pg_temp.ragspine_stage_plan AS p
   WHERE p.existed AND p.rewrite AND c.tenant_no = %(tenant_no)s AND c.document_no = p.document_no
  RETURNING c.chunk_no
)
SELECT count(*) FROM gone
