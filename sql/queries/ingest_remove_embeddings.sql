-- Deletes the vectors of stored documents whose new label a version does not embed, in every version.
--
-- Run while the documents still have their old class. Vectors of rewritten documents go with their chunks.
--
-- params: tenant_no, library_no
DELETE FROM ragspine.chunk_embedding AS e
 USING ragspine.index_version AS v, pg_temp.ragspine_stage_plan AS p, ragspine.acl_class AS a
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.space_no IS NOT NULL
   AND a.tenant_no = v.tenant_no AND a.acl_class_no = p.acl_class_no
   AND p.existed AND NOT p.rewrite AND p.acl_class_no <> p.old_acl_class_no
   AND NOT ragspine.embeds_v1(v.profile, a.sensitivity)
   AND e.tenant_no = v.tenant_no AND e.version_no = v.version_no AND e.acl_class_no = p.old_acl_class_no
   AND e.document_no = p.document_no
