-- Locks a stored document. Its state is read by the next statement, which sees what was committed before the lock.
--
-- params: tenant_no, library_no, document_id
-- Returns one row (document_no), or none.
SELECT d.document_no
  FROM ragspine.document AS d
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = %(document_id)s
   FOR UPDATE
