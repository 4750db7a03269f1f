-- A document id that the stage holds, of which an empty document came later.
--
-- params: document_ids, before_seqs (parallel arrays: empty documents, and the document_seq of what came after each)
-- Returns one row (document_id), or none.
SELECT s.document_id
  FROM pg_temp.ragspine_stage_document AS s
  JOIN unnest(%(document_ids)s::text[], %(before_seqs)s::integer[]) AS e(document_id, before_seq)
    ON s.document_id = e.document_id AND s.document_seq < e.before_seq
 ORDER BY s.document_seq
 LIMIT 1
