-- The documents that a call writes or gives other rights, that the version embeds, and that may lack a vector still: those that
-- are written with a chunk that was not embedded before the locks, and those that are given other rights and not written.
--
-- params: tenant_no, version_no, unwritten (whether all that are not written may lack vectors: in a version that catches up)
-- Returns one row: their numbers.
SELECT coalesce(array_agg(p.document_no), '{}')
  FROM ragspine.index_version AS v
 CROSS JOIN pg_temp.ragspine_stage_plan AS p
  JOIN ragspine.acl_class AS a ON a.tenant_no = v.tenant_no AND a.acl_class_no = p.acl_class_no
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
   AND CASE
         WHEN p.rewrite THEN p.document_seq IN (
           SELECT c.document_seq
             FROM pg_temp.ragspine_stage_chunk AS c
            WHERE NOT EXISTS (SELECT FROM pg_temp.ragspine_stage_embedding AS e WHERE e.chunk_seq = c.chunk_seq))
         ELSE %(unwritten)s OR p.acl_class_no <> p.old_acl_class_no
       END
   AND ragspine.embeds_v1(v.profile, a.sensitivity)
