-- Which of some chunks are not found first by their own text's vector.
--
-- params: tenant_no, version_no, chunk_nos, embeddings (parallel arrays; a vector as text)
-- Returns one row a chunk that is not: document_id.
SELECT d.document_id
  FROM ragspine.list_unrecalled_v1(%(tenant_no)s, %(version_no)s, %(chunk_nos)s::bigint[], %(embeddings)s::text[]) AS n(chunk_no)
  JOIN ragspine.chunk AS c ON c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.chunk_no = n.chunk_no
  JOIN ragspine.document AS d ON d.tenant_no = c.tenant_no AND d.document_no = c.document_no
 ORDER BY d.document_id
