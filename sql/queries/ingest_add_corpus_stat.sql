-- Appends the collected changes of chunk counts and lengths; never a row that changes nothing.
--
-- params: tenant_no, batch_no
INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
SELECT %(tenant_no)s, d.version_no, d.acl_class_no, %(batch_no)s, sum(d.chunk_count), sum(d.total_length)
  FROM pg_temp.ragspine_stage_delta AS d
 WHERE d.lexeme_no = 0
 GROUP BY d.version_no, d.acl_class_no
HAVING sum(d.chunk_count) <> 0 OR sum(d.total_length) <> 0
