-- The versions of a library whose rows are still to be deleted.
--
-- params: tenant_no, library_no
-- Returns one row a version: version_no.
SELECT v.version_no
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state = 'dropped'
 ORDER BY v.version_no
