-- Appends the collected changes of document frequencies; never a row that changes nothing.
--
-- params: tenant_no, batch_no
INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
SELECT %(tenant_no)s, d.version_no, d.lexeme_no, d.acl_class_no, %(batch_no)s, sum(d.chunk_count)
  FROM pg_temp.ragspine_stage_delta AS d
 WHERE d.lexeme_no > 0
 GROUP BY d.version_no, d.lexeme_no, d.acl_class_no
HAVING sum(d.chunk_count) <> 0
 ORDER BY d.version_no, d.lexeme_no, d.acl_class_no
