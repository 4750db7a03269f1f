-- Locks the documents that a version lacks, in the order of their ids, against writers of documents and rights.
--
-- params: tenant_no, version_no
-- Returns one row: their number.
SELECT count(*)
  FROM (SELECT d.document_no
          FROM ragspine.pending_document AS p
          JOIN ragspine.document AS d ON d.tenant_no = p.tenant_no AND d.document_no = p.document_no
         WHERE p.tenant_no = %(tenant_no)s AND p.version_no = %(version_no)s
         ORDER BY d.document_id
           FOR NO KEY UPDATE OF d) AS locked
