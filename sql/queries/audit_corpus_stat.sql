-- Classes whose summed chunk count or length differs from a recount; 0 is what the version counts there (counted_class_v1).
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
          FULL JOIN (SELECT n.acl_class_no, sum(l.chunk_count) AS chunk_count, sum(l.total_length) AS total_length
                       FROM (SELECT x.acl_class_no, count(*) AS chunk_count, sum(x.length) AS total_length
                               FROM ragspine.chunk_lexical AS x
                              WHERE x.tenant_no = v.tenant_no AND x.version_no = v.version_no
                              GROUP BY x.acl_class_no) AS l
                       JOIN ragspine.acl_class AS k ON k.tenant_no = v.tenant_no AND k.acl_class_no = l.acl_class_no
                      CROSS JOIN LATERAL (
                             VALUES (l.acl_class_no),
                                    (nullif(ragspine.counted_class_v1(v.statistics, l.acl_class_no, k.sensitivity),
                                            l.acl_class_no))) AS n(acl_class_no)
                      WHERE n.acl_class_no IS NOT NULL
                      GROUP BY n.acl_class_no) AS r ON r.acl_class_no = s.acl_class_no
         WHERE (coalesce(s.chunk_count, 0), coalesce(s.total_length, 0))
               IS DISTINCT FROM (coalesce(r.chunk_count, 0), coalesce(r.total_length, 0))) AS wrong
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
 GROUP BY v.version
 ORDER BY v.version
