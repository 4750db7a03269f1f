-- The staged chunks that have to be analysed and are not: those of documents that changed since the first look.
--
-- Returns one row: the lowest chunk_seq and one past the highest, or NULLs when there is none.
SELECT min(c.chunk_seq), max(c.chunk_seq) + 1
  FROM pg_temp.ragspine_stage_document AS s
  JOIN pg_temp.ragspine_stage_chunk AS c ON c.document_seq = s.document_seq
 WHERE NOT s.unchanged
   AND NOT EXISTS (SELECT FROM pg_temp.ragspine_stage_analysis AS done WHERE done.chunk_seq = c.chunk_seq)
