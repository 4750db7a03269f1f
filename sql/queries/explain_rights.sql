-- A document's rights, for the ingest authority.
--
-- Params:  tenant, library_id, document_id, principals.
-- Returns: one row, or none when there is no such document: label, open to members, and whether one of the principals is
--          among its readers.
SELECT a.sensitivity, a.open_to_members,
       EXISTS (SELECT FROM ragspine.acl_reader AS r
                WHERE r.tenant_no = a.tenant_no AND r.acl_class_no = a.acl_class_no
                  AND r.principal = ANY (%(principals)s::text[]))
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l ON l.tenant_no = t.tenant_no AND l.library_id = %(library_id)s
  JOIN ragspine.document AS d
    ON d.tenant_no = l.tenant_no AND d.library_no = l.library_no AND d.document_id = %(document_id)s
  JOIN ragspine.acl_class AS a ON a.tenant_no = d.tenant_no AND a.acl_class_no = d.acl_class_no
 WHERE t.tenant = %(tenant)s
