-- A stored document and its rights, without a lock.
--
-- params: tenant_no, library_no, document_id
-- Returns one row, or none: document_no, acl_class_no, sensitivity, open_to_members, readers (text[], sorted).
SELECT d.document_no, d.acl_class_no, k.sensitivity, k.open_to_members,
       ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
              WHERE r.tenant_no = d.tenant_no AND r.acl_class_no = d.acl_class_no
              ORDER BY r.principal)
  FROM ragspine.document AS d
  JOIN ragspine.acl_class AS k ON k.tenant_no = d.tenant_no AND k.acl_class_no = d.acl_class_no
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = %(document_id)s
