-- A library with no published version, or several (which an index forbids).
--
-- params: tenant_no, library_no
-- Returns one row, or none: where, how many there are.
SELECT 'library', count(*)
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state = 'published'
HAVING count(*) <> 1
