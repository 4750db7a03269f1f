-- Collects how the statistics of the version change by the new chunks.
--
-- params: version_no
INSERT INTO pg_temp.ragspine_stage_delta (version_no, acl_class_no, lexeme_no, chunk_count, total_length)
SELECT %(version_no)s, c.acl_class_no, w.lexeme_no, sum(c.chunk_count), 0
  FROM pg_temp.ragspine_stage_count AS c
  JOIN pg_temp.ragspine_stage_word AS w ON w.lexeme = c.lexeme
 GROUP BY c.acl_class_no, w.lexeme_no
 UNION ALL
SELECT %(version_no)s, p.acl_class_no, 0, count(*), sum(a.length)
  FROM pg_temp.ragspine_stage_analysis AS a
  JOIN pg_temp.ragspine_stage_plan AS p ON p.document_seq = a.document_seq
 WHERE p.rewrite
 GROUP BY p.acl_class_no
