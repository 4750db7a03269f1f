-- Writes the staged vectors of new chunks, but of those whose label the version does not embed by now.
--
-- params: tenant_no, version_no, first_seq, after_seq (chunk_seq from the first to before the second)
INSERT INTO ragspine.chunk_embedding
       (tenant_no, version_no, space_no, dimensions, acl_class_no, document_no, chunk_no, embedding)
SELECT v.tenant_no, v.version_no, v.space_no, v.dimensions, k.acl_class_no, k.document_no, k.chunk_no,
       ragspine.parse_embedding_v1(e.embedding)
  FROM ragspine.index_version AS v
 CROSS JOIN pg_temp.ragspine_stage_embedding AS e
  JOIN pg_temp.ragspine_stage_chunk AS c ON c.chunk_seq = e.chunk_seq
  JOIN pg_temp.ragspine_stage_plan AS p ON p.document_seq = c.document_seq
 CROSS JOIN LATERAL (
        SELECT n.acl_class_no, n.document_no, n.chunk_no
          FROM ragspine.chunk AS n
         WHERE n.tenant_no = v.tenant_no AND n.version_no = v.version_no AND n.chunk_id = c.chunk_id
        OFFSET 0) AS k
  JOIN ragspine.acl_class AS a ON a.tenant_no = v.tenant_no AND a.acl_class_no = k.acl_class_no
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
   AND e.chunk_seq >= %(first_seq)s AND e.chunk_seq < %(after_seq)s
   AND c.chunk_seq >= %(first_seq)s AND c.chunk_seq < %(after_seq)s
   AND p.rewrite
   AND ragspine.embeds_v1(v.profile, a.sensitivity)
