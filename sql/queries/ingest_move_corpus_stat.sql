-- Moves a document's chunks and their length from one class to another, in every version that holds chunks of it.
--
-- params: tenant_no, document_no, batch_no, old_acl_class_no, acl_class_no (NULL: the document is being deleted)
-- Returns one row: the number of chunks, over all versions.
WITH counted AS (
  SELECT c.version_no, count(*) AS chunk_count, sum(l.length) AS total_length
    FROM ragspine.chunk AS c
    JOIN ragspine.chunk_lexical AS l
      ON l.tenant_no = c.tenant_no AND l.version_no = c.version_no AND l.acl_class_no = c.acl_class_no
     AND l.chunk_no = c.chunk_no
   WHERE c.tenant_no = %(tenant_no)s AND c.document_no = %(document_no)s
   GROUP BY c.version_no
), moved AS (
  INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
  SELECT %(tenant_no)s, c.version_no, side.acl_class_no, %(batch_no)s, side.sign * c.chunk_count,
         side.sign * c.total_length
    FROM counted AS c
   CROSS JOIN (VALUES (%(old_acl_class_no)s::integer, -1), (%(acl_class_no)s::integer, 1)) AS side(acl_class_no, sign)
   WHERE side.acl_class_no IS NOT NULL
)
SELECT coalesce(sum(c.chunk_count), 0)::bigint FROM counted AS c
