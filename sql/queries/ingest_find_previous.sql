-- The version that was published before the one that is.
--
-- params: tenant_no, library_no
-- Returns one row (version), or none.
SELECT v.version
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state = 'retired'
 ORDER BY v.published_at DESC
 LIMIT 1
