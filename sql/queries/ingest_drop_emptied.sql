-- Drops staged documents of whose id an empty document came later: the last one counts, whatever it holds. As in
-- ingest_drop_earlier their pages stay behind and are read by nothing.
--
-- params: document_ids, before_seqs (parallel arrays: empty documents, and the document_seq of what came after each)
-- Returns one row a dropped document: document_id.
WITH dropped AS (
  DELETE FROM pg_temp.ragspine_stage_document AS s
   USING unnest(%(document_ids)s::text[], %(before_seqs)s::integer[]) AS e(document_id, before_seq)
   WHERE s.document_id = e.document_id AND s.document_seq < e.before_seq
  RETURNING s.document_id, s.first_chunk_seq, s.chunk_count
), gone AS (
  DELETE FROM pg_temp.ragspine_stage_chunk AS c
   USING dropped AS d
   WHERE c.chunk_seq >= d.first_chunk_seq AND c.chunk_seq < d.first_chunk_seq + d.chunk_count
)
SELECT d.document_id FROM dropped AS d
