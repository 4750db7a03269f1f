-- How many documents a version lacks.
--
-- params: tenant_no, version_no
SELECT count(*)
  FROM ragspine.pending_document AS p
 WHERE p.tenant_no = %(tenant_no)s AND p.version_no = %(version_no)s
