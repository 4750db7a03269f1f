-- Deletes a library that is empty; foreign keys take its declared fields away.
--
-- params: tenant_no, library_no
DELETE FROM ragspine.library AS l
 WHERE l.tenant_no = %(tenant_no)s AND l.library_no = %(library_no)s
