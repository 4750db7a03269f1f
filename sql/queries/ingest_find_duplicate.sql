-- A document id that a batch of the stage holds although it came before.
--
-- params: first_seq, after_seq (the batch: document_seq from the first to before the second)
-- Returns one row (document_id), or none.
SELECT s.document_id
  FROM pg_temp.ragspine_stage_document AS s
 WHERE s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   AND EXISTS (SELECT FROM pg_temp.ragspine_stage_document AS earlier
                WHERE earlier.document_id = s.document_id AND earlier.document_seq < s.document_seq)
 ORDER BY s.document_seq
 LIMIT 1
