-- Adds a library unless it is there; waits for a transaction that is just adding it.
--
-- params: tenant, library_id, description
-- Returns one row (tenant_no, library_no) when it was added, none when it was there.
INSERT INTO ragspine.library (tenant_no, library_id, description)
SELECT t.tenant_no, %(library_id)s, %(description)s
  FROM ragspine.tenant AS t
 WHERE t.tenant = %(tenant)s
ON CONFLICT (tenant_no, library_id) DO NOTHING
RETURNING tenant_no, library_no
