-- The number of access classes of a library's documents.
--
-- params: tenant_no, library_no
SELECT count(DISTINCT d.acl_class_no)
  FROM ragspine.document AS d
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
