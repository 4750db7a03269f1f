-- The documents that a call writes or gives other rights, and that the version embeds.
--
-- params: tenant_no, version_no
-- Returns one row: their numbers.
SELECT coalesce(array_agg(p.document_no), '{}')
  FROM ragspine.index_version AS v
 CROSS JOIN pg_temp.ragspine_stage_plan AS p
  JOIN ragspine.acl_class AS a ON a.tenant_no = v.tenant_no AND a.acl_class_no = p.acl_class_no
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
   AND (p.rewrite OR p.acl_class_no <> p.old_acl_class_no)
   AND ragspine.embeds_v1(v.profile, a.sensitivity)
