-- Analyses staged chunks of documents that are not known to be unchanged, unless it has been done.
--
-- The look-up per chunk is forced (OFFSET 0): a join reads the whole stage again in every slice.
--
-- params: analyzer, title_weight, first_seq, after_seq (chunk_seq from the first to before the second)
INSERT INTO pg_temp.ragspine_stage_analysis (chunk_seq, document_seq, length, lexemes, frequencies)
SELECT c.chunk_seq, c.document_seq, a.length, a.lexemes, a.frequencies
  FROM pg_temp.ragspine_stage_chunk AS c
 CROSS JOIN LATERAL (
        SELECT d.title, d.language, d.unchanged
          FROM pg_temp.ragspine_stage_document AS d
         WHERE d.document_seq = c.document_seq
        OFFSET 0) AS s
 CROSS JOIN LATERAL ragspine.analyze_chunk_v1(
        s.title, c.text, ragspine.document_analyzer_v1(%(analyzer)s, s.language), %(title_weight)s) AS a
 WHERE c.chunk_seq >= %(first_seq)s AND c.chunk_seq < %(after_seq)s
   AND NOT s.unchanged
   AND NOT EXISTS (SELECT FROM pg_temp.ragspine_stage_analysis AS done WHERE done.chunk_seq = c.chunk_seq)
