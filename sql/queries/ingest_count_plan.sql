-- What the plan comes to; each staged document counts once, in the first group it belongs to.
--
-- Returns one row: added, changed (text, title or chunks), relabelled (readers or sensitivity), updated (metadata, source or
-- language), unchanged, and the number of chunks to write.
SELECT count(*) FILTER (WHERE NOT p.existed),
       count(*) FILTER (WHERE p.existed AND p.rewrite),
       count(*) FILTER (WHERE p.existed AND NOT p.rewrite AND p.old_acl_class_no <> p.acl_class_no),
       count(*) FILTER (WHERE p.existed AND NOT p.rewrite AND p.old_acl_class_no = p.acl_class_no AND p.touch),
       count(*) FILTER (WHERE p.existed AND NOT p.rewrite AND NOT p.touch),
       coalesce(sum(s.chunk_count) FILTER (WHERE p.rewrite), 0)
  FROM pg_temp.ragspine_stage_plan AS p
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = p.document_seq
