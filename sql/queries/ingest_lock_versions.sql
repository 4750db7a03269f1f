-- Locks all versions of a library against writers that add documents, newest first.
--
-- A version that is being built is the newest: whoever waits for it does not hold the published one meanwhile.
--
-- params: tenant_no, library_no
-- Returns one row: their number.
SELECT count(*)
  FROM (SELECT v.version_no
          FROM ragspine.index_version AS v
         WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
         ORDER BY v.version_no DESC
           FOR NO KEY UPDATE) AS locked
