-- Chunks whose id is not that of their document, chunker, text and occurrence, or whose ordinals have a gap.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a document that has some, at most ten: where, how many.
SELECT 'document ' || i.document_id, count(*)
  FROM (SELECT d.document_id, v.profile -> 'chunker' ->> 'fingerprint' AS chunker, c.chunk_id, c.text, c.ordinal,
               row_number() OVER (PARTITION BY c.version_no, c.document_no, c.text ORDER BY c.ordinal) - 1 AS occurrence,
               row_number() OVER (PARTITION BY c.version_no, c.document_no ORDER BY c.ordinal) - 1 AS position
          FROM ragspine.document AS d
          JOIN ragspine.chunk AS c ON c.tenant_no = d.tenant_no AND c.document_no = d.document_no
          JOIN ragspine.index_version AS v ON v.tenant_no = c.tenant_no AND v.version_no = c.version_no
         WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
           AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
                    ELSE v.version_no = %(version_no)s END) AS i
 WHERE i.chunk_id <> ragspine.chunk_id_v1(i.document_id, i.chunker, i.text, i.occurrence::integer) OR i.ordinal <> i.position
 GROUP BY i.document_id
 ORDER BY i.document_id
 LIMIT 10
