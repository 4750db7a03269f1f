-- Stored chunks of documents without their vector, which the version is to have.
--
-- params: tenant_no, version_no, document_nos
-- Returns one row a chunk: chunk_no, document_id, title, text.
SELECT c.chunk_no, d.document_id, d.title, c.text
  FROM ragspine.index_version AS v
 CROSS JOIN unnest(%(document_nos)s::bigint[]) AS n(document_no)
 CROSS JOIN LATERAL (
        SELECT d.document_id, d.title, a.sensitivity
          FROM ragspine.document AS d
          JOIN ragspine.acl_class AS a ON a.tenant_no = d.tenant_no AND a.acl_class_no = d.acl_class_no
         WHERE d.tenant_no = v.tenant_no AND d.document_no = n.document_no
        OFFSET 0) AS d
 CROSS JOIN LATERAL (
        SELECT c.chunk_no, c.acl_class_no, c.ordinal, c.text
          FROM ragspine.chunk AS c
         WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no AND c.document_no = n.document_no
        OFFSET 0) AS c
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
   AND ragspine.embeds_v1(v.profile, d.sensitivity)
   AND NOT EXISTS (SELECT
                     FROM ragspine.chunk_embedding AS e
                    WHERE e.tenant_no = v.tenant_no AND e.version_no = v.version_no AND e.acl_class_no = c.acl_class_no
                      AND e.document_no = n.document_no AND e.chunk_no = c.chunk_no)
 ORDER BY n.document_no, c.ordinal
