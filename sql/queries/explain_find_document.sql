-- A document as the caller sees it: its metadata, under row-level security and the explicit conditions.
--
-- Params:  library_id, document_id.
-- Returns: one row, or none when the caller cannot read such a document.
SELECT d.metadata
  FROM ragspine.library AS l
  JOIN ragspine.document AS d ON d.tenant_no = l.tenant_no AND d.library_no = l.library_no
 WHERE l.tenant_no = ragspine.granted_tenant_no_v1()
   AND l.library_id = %(library_id)s
   AND d.document_id = %(document_id)s
   AND d.acl_class_no = ANY (ragspine.visible_classes_v1())
