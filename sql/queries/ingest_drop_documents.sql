-- Deletes all documents of a library; foreign keys take their pages and field keys away.
--
-- params: tenant_no, library_no
DELETE FROM ragspine.document AS d
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
