-- Marks a document for the other live versions that may embed its text by now and could not before.
--
-- params: tenant_no, library_no, version_no (the published one), document_no, old_acl_class_no, acl_class_no
INSERT INTO ragspine.pending_document (tenant_no, version_no, document_no)
SELECT v.tenant_no, v.version_no, %(document_no)s
  FROM ragspine.index_version AS v
  JOIN ragspine.acl_class AS a ON a.tenant_no = v.tenant_no AND a.acl_class_no = %(acl_class_no)s
  JOIN ragspine.acl_class AS b ON b.tenant_no = v.tenant_no AND b.acl_class_no = %(old_acl_class_no)s
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.version_no <> %(version_no)s
   AND v.state IN ('building', 'verified', 'retired')
   AND ragspine.embeds_v1(v.profile, a.sensitivity) AND NOT ragspine.embeds_v1(v.profile, b.sensitivity)
ON CONFLICT DO NOTHING
