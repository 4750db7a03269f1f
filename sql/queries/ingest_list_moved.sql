-- The documents of a range that stay as they are and get another class.
--
-- params: first_seq, after_seq (document_seq from the first to before the second)
-- Returns one row: their numbers.
SELECT coalesce(array_agg(p.document_no), '{}')
  FROM pg_temp.ragspine_stage_plan AS p
 WHERE p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s
   AND p.existed AND NOT p.rewrite AND p.acl_class_no <> p.old_acl_class_no
