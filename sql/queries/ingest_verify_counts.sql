-- Compares what was planned with what is stored, for the new and rewritten documents of a range and for labels of all.
--
-- params: tenant_no, version_no, first_seq, after_seq (document_seq from the first to before the second)
-- Returns one row a document that differs, at most ten: document_id, and which of chunks, lexical, pages, class differs.
SELECT s.document_id,
       CASE WHEN f.chunks <> s.chunk_count THEN 'chunks'
            WHEN f.indexed <> s.chunk_count THEN 'lexical'
            WHEN f.pages <> (s.text_length + 8191) / 8192 OR f.page_length <> s.text_length THEN 'pages'
            ELSE 'class'
       END
  FROM pg_temp.ragspine_stage_plan AS p
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = p.document_seq
 CROSS JOIN LATERAL (
        SELECT (SELECT count(*) FROM ragspine.chunk AS c
                 WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no = p.document_no)
                 AS chunks,
               (SELECT count(*)
                  FROM ragspine.chunk AS c
                 CROSS JOIN LATERAL (
                        SELECT FROM ragspine.chunk_lexical AS l
                         WHERE l.tenant_no = c.tenant_no AND l.version_no = c.version_no
                           AND l.acl_class_no = c.acl_class_no AND l.chunk_no = c.chunk_no
                        OFFSET 0) AS l
                 WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no = p.document_no
                   AND c.acl_class_no = p.acl_class_no)
                 AS indexed,
               g.pages, g.page_length,
               (SELECT d.acl_class_no FROM ragspine.document AS d
                 WHERE d.tenant_no = %(tenant_no)s AND d.document_no = p.document_no)
                 AS acl_class_no
          FROM (SELECT count(*) AS pages, coalesce(sum(char_length(g.text)), 0) AS page_length
                  FROM ragspine.document_page AS g
                 WHERE g.tenant_no = %(tenant_no)s AND g.document_no = p.document_no) AS g
        OFFSET 0) AS f
 WHERE p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s AND (p.rewrite OR p.touch)
   AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   AND (f.chunks <> s.chunk_count OR f.indexed <> s.chunk_count
        OR f.pages <> (s.text_length + 8191) / 8192 OR f.page_length <> s.text_length
        OR f.acl_class_no IS DISTINCT FROM p.acl_class_no)
 LIMIT 10
