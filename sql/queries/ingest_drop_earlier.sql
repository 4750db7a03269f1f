-- Keeps only the last of several staged documents of one id. The pages of the others stay behind and are read by nothing.
--
-- params: first_seq, after_seq (the batch just staged)
-- Returns one row a dropped document: document_id.
WITH dropped AS (
  DELETE FROM pg_temp.ragspine_stage_document AS earlier
   USING pg_temp.ragspine_stage_document AS s
   WHERE s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
     AND earlier.document_id = s.document_id AND earlier.document_seq < s.document_seq
  RETURNING earlier.document_id, earlier.first_chunk_seq, earlier.chunk_count
), gone AS (
  DELETE FROM pg_temp.ragspine_stage_chunk AS c
   USING dropped AS d
   WHERE c.chunk_seq >= d.first_chunk_seq AND c.chunk_seq < d.first_chunk_seq + d.chunk_count
)
SELECT d.document_id FROM dropped AS d
