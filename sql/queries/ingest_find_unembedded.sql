-- Staged chunks that are to be embedded and are not: those of documents that are not known to be unchanged, with a label that
-- the version embeds.
--
-- params: tenant_no, version_no, first_seq, after_seq (chunk_seq from the first to before the second)
-- Returns one row a chunk, in order: chunk_seq, document_id, title, text.
SELECT c.chunk_seq, s.document_id, s.title, c.text
  FROM ragspine.index_version AS v
 CROSS JOIN pg_temp.ragspine_stage_chunk AS c
 CROSS JOIN LATERAL (
        SELECT d.document_id, d.title, d.sensitivity, d.unchanged
          FROM pg_temp.ragspine_stage_document AS d
         WHERE d.document_seq = c.document_seq
        OFFSET 0) AS s
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
   AND c.chunk_seq >= %(first_seq)s AND c.chunk_seq < %(after_seq)s
   AND NOT s.unchanged
   AND ragspine.embeds_v1(v.profile, s.sensitivity)
   AND NOT EXISTS (SELECT FROM pg_temp.ragspine_stage_embedding AS done WHERE done.chunk_seq = c.chunk_seq)
 ORDER BY c.chunk_seq
