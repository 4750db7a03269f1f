-- Deletes a document's vectors in every version that does not embed its new label. Run before it has its new class.
--
-- params: tenant_no, library_no, document_no, old_acl_class_no, acl_class_no
DELETE FROM ragspine.chunk_embedding AS e
 USING ragspine.index_version AS v, ragspine.acl_class AS a
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.space_no IS NOT NULL
   AND a.tenant_no = v.tenant_no AND a.acl_class_no = %(acl_class_no)s
   AND NOT ragspine.embeds_v1(v.profile, a.sensitivity)
   AND e.tenant_no = v.tenant_no AND e.version_no = v.version_no AND e.acl_class_no = %(old_acl_class_no)s
   AND e.document_no = %(document_no)s
