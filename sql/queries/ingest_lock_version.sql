-- Locks the published version against other writers that add documents; relabels and deletes do not wait for it.
--
-- params: tenant_no, library_no, version_no
-- Returns one row, or none when another version has been published meanwhile.
SELECT v.version_no
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.version_no = %(version_no)s
   AND v.state = 'published'
   FOR NO KEY UPDATE
