-- Deletes all versions of a library; foreign keys take chunks, windows, lexemes and statistics away.
--
-- params: tenant_no, library_no
DELETE FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
