-- Locks a version that is behind, against others that catch it up, publish or drop it.
--
-- params: tenant_no, version_no
-- Returns one row (its state), or none.
SELECT v.state
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
   FOR NO KEY UPDATE
