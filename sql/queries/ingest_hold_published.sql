-- Keeps the published version of a library the published one to the end of the transaction: a publish waits for this lock,
-- nobody else does.
--
-- params: tenant, library_id
-- Returns one row (library_no), or none.
SELECT l.library_no
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l ON l.tenant_no = t.tenant_no
 WHERE t.tenant = %(tenant)s AND l.library_id = %(library_id)s
   FOR SHARE OF l
