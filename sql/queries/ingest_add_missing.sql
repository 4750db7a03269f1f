-- Writes vectors of stored chunks.
--
-- params: tenant_no, version_no, chunk_nos, embeddings (parallel arrays; a vector as text)
INSERT INTO ragspine.chunk_embedding
       (tenant_no, version_no, space_no, dimensions, acl_class_no, document_no, chunk_no, embedding)
SELECT v.tenant_no, v.version_no, v.space_no, v.dimensions, c.acl_class_no, c.document_no, c.chunk_no,
       ragspine.parse_embedding_v1(m.embedding)
  FROM ragspine.index_version AS v
 CROSS JOIN unnest(%(chunk_nos)s::bigint[], %(embeddings)s::text[]) AS m(chunk_no, embedding)
  JOIN ragspine.chunk AS c ON c.tenant_no = v.tenant_no AND c.version_no = v.version_no AND c.chunk_no = m.chunk_no
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
