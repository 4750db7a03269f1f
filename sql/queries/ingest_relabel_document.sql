-- Gives a document another class; foreign keys carry it to everything below the document.
--
-- params: tenant_no, document_no, acl_class_no
UPDATE ragspine.document AS d
   SET acl_class_no = %(acl_class_no)s, updated_at = now()
 WHERE d.tenant_no = %(tenant_no)s AND d.document_no = %(document_no)s
