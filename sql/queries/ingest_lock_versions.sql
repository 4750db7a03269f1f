-- Locks all versions of a library against writers that add documents, in the order of their numbers.
--
-- params: tenant_no, library_no
-- Returns one row: their number.
SELECT count(*)
  FROM (SELECT v.version_no
          FROM ragspine.index_version AS v
         WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
         ORDER BY v.version_no
           FOR NO KEY UPDATE) AS locked
