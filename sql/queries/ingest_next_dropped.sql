-- The next documents that have chunks in a version that is being dropped.
--
-- params: tenant_no, version_no, after_no (document_no before the slice), size
-- Returns one row: their numbers.
SELECT coalesce(array_agg(n.document_no), '{}')
  FROM (SELECT DISTINCT c.document_no
          FROM ragspine.chunk AS c
         WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no > %(after_no)s
         ORDER BY c.document_no
         LIMIT %(size)s) AS n
