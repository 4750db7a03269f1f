-- Marks what the other live versions of the library now lack: documents that are written anew, and those whose text they may
-- embed by now and could not before.
--
-- params: tenant_no, library_no, version_no (the one written to)
INSERT INTO ragspine.pending_document (tenant_no, version_no, document_no)
SELECT v.tenant_no, v.version_no, p.document_no
  FROM ragspine.index_version AS v
 CROSS JOIN pg_temp.ragspine_stage_plan AS p
  JOIN ragspine.acl_class AS a ON a.tenant_no = v.tenant_no AND a.acl_class_no = p.acl_class_no
  LEFT JOIN ragspine.acl_class AS b ON b.tenant_no = v.tenant_no AND b.acl_class_no = p.old_acl_class_no
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.version_no <> %(version_no)s
   AND v.state IN ('building', 'verified', 'retired')
   AND (p.rewrite OR ragspine.embeds_v1(v.profile, a.sensitivity) AND NOT ragspine.embeds_v1(v.profile, b.sensitivity))
ON CONFLICT DO NOTHING
