-- How many stored documents this ingest opens: somebody may read them now who could not before, or their label is lower.
--
-- Judged once for each pair of classes. Nobody reads what is RESTRICTED, whoever its readers are.
--
-- params: tenant_no
-- Returns one row: their number.
SELECT coalesce(sum(p.document_count), 0)::bigint
  FROM (SELECT x.old_acl_class_no, x.acl_class_no, count(*) AS document_count
          FROM pg_temp.ragspine_stage_plan AS x
         WHERE x.existed AND x.old_acl_class_no <> x.acl_class_no
         GROUP BY x.old_acl_class_no, x.acl_class_no) AS p
  JOIN ragspine.acl_class AS b ON b.tenant_no = %(tenant_no)s AND b.acl_class_no = p.old_acl_class_no
  JOIN ragspine.acl_class AS a ON a.tenant_no = %(tenant_no)s AND a.acl_class_no = p.acl_class_no
 WHERE array_position(ARRAY['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'], a.sensitivity)
         < array_position(ARRAY['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'], b.sensitivity)
    OR a.sensitivity <> 'RESTRICTED' AND NOT b.open_to_members
       AND (a.open_to_members
            OR EXISTS (SELECT FROM ragspine.acl_reader AS r
                        WHERE r.tenant_no = a.tenant_no AND r.acl_class_no = a.acl_class_no
                          AND NOT EXISTS (SELECT FROM ragspine.acl_reader AS o
                                           WHERE o.tenant_no = b.tenant_no AND o.acl_class_no = b.acl_class_no
                                             AND o.principal = r.principal)))
