-- Classes whose summed chunk count or length differs from a recount.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a version that has some: where, how many.
SELECT 'version ' || v.version, count(*)
  FROM ragspine.index_version AS v
 CROSS JOIN LATERAL (
        SELECT coalesce(s.acl_class_no, r.acl_class_no)
          FROM (SELECT c.acl_class_no, sum(c.chunk_count) AS chunk_count, sum(c.total_length) AS total_length
                  FROM ragspine.corpus_stat AS c
                 WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no
                 GROUP BY c.acl_class_no) AS s
          FULL JOIN (SELECT l.acl_class_no, count(*) AS chunk_count, sum(l.length) AS total_length
                       FROM ragspine.chunk_lexical AS l
                      WHERE l.tenant_no = v.tenant_no AND l.version_no = v.version_no
                      GROUP BY l.acl_class_no) AS r ON r.acl_class_no = s.acl_class_no
         WHERE (coalesce(s.chunk_count, 0), coalesce(s.total_length, 0))
               IS DISTINCT FROM (coalesce(r.chunk_count, 0), coalesce(r.total_length, 0))) AS wrong
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
 GROUP BY v.version
 ORDER BY v.version
