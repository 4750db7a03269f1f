-- Counts in how many new chunks of each class a lexeme occurs.
--
-- params: first_seq, after_seq (chunk_seq from the first to before the second)
INSERT INTO pg_temp.ragspine_stage_count (lexeme, acl_class_no, chunk_count)
SELECT o.lexeme, o.acl_class_no, count(*)
  FROM (SELECT unnest(a.lexemes) AS lexeme, p.acl_class_no
          FROM pg_temp.ragspine_stage_analysis AS a
          JOIN pg_temp.ragspine_stage_plan AS p ON p.document_seq = a.document_seq
         WHERE a.chunk_seq >= %(first_seq)s AND a.chunk_seq < %(after_seq)s AND p.rewrite) AS o
 GROUP BY o.lexeme, o.acl_class_no
