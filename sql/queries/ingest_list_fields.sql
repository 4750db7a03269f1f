-- The metadata fields a library declares.
--
-- params: tenant_no, library_no
-- Returns one row a field: name, type; by name.
SELECT f.name, f.type
  FROM ragspine.library_field AS f
 WHERE f.tenant_no = %(tenant_no)s AND f.library_no = %(library_no)s
 ORDER BY f.name
