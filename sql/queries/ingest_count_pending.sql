-- How many documents a version lacks, and the highest number of them.
--
-- params: tenant_no, version_no
SELECT count(*), coalesce(max(p.document_no), 0)
  FROM ragspine.pending_document AS p
 WHERE p.tenant_no = %(tenant_no)s AND p.version_no = %(version_no)s
