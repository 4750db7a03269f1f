-- What could be sealed in a version: its classes with a tail or with runs.
--
-- params: tenant_no, version_no
-- Returns a row a class: acl_class_no, its chunks, those of them in the tail, and its runs in their order: their numbers, and
--         how many chunks were sealed in each; last, the first segment number that is free.
SELECT c.acl_class_no, coalesce(n.chunks, 0), coalesce(t.tail, 0), coalesce(r.run_nos, '{}'), coalesce(r.sizes, '{}'),
       coalesce(r.next_segment_no, 0)
  FROM (SELECT s.acl_class_no, array_agg(s.run_no ORDER BY s.run_no) AS run_nos, array_agg(s.size ORDER BY s.run_no) AS sizes,
               max(s.last_segment_no) + 1 AS next_segment_no
          FROM (SELECT s.acl_class_no, s.run_no, sum(cardinality(s.chunk_nos)) AS size, max(s.segment_no) AS last_segment_no
                  FROM ragspine.posting_segment AS s
                 WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s
                 GROUP BY s.acl_class_no, s.run_no) AS s
         GROUP BY s.acl_class_no) AS r
  FULL JOIN (SELECT t.acl_class_no, count(*) AS tail
               FROM ragspine.lexical_tail AS t
              WHERE t.tenant_no = %(tenant_no)s AND t.version_no = %(version_no)s
              GROUP BY t.acl_class_no) AS t USING (acl_class_no)
  LEFT JOIN (SELECT x.acl_class_no, count(*) AS chunks
               FROM ragspine.chunk_lexical AS x
              WHERE x.tenant_no = %(tenant_no)s AND x.version_no = %(version_no)s
              GROUP BY x.acl_class_no) AS n USING (acl_class_no)
 CROSS JOIN LATERAL (SELECT coalesce(r.acl_class_no, t.acl_class_no) AS acl_class_no) AS c
 ORDER BY c.acl_class_no
