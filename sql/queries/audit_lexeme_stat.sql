-- Pairs of lexeme and class whose summed document frequency differs from a recount, where the version counts (counted_class_v1).
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a version that has some: where, how many.
SELECT 'version ' || v.version, count(*)
  FROM ragspine.index_version AS v
 CROSS JOIN LATERAL (
        SELECT
          FROM (SELECT c.lexeme_no, c.acl_class_no, sum(c.chunk_count) AS chunk_count
                  FROM ragspine.lexeme_stat AS c
                 WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no
                 GROUP BY c.lexeme_no, c.acl_class_no) AS s
          FULL JOIN (SELECT n.lexeme_no, c.acl_class_no, count(*) AS chunk_count
                       FROM ragspine.chunk_lexical AS l
                       JOIN ragspine.acl_class AS k ON k.tenant_no = v.tenant_no AND k.acl_class_no = l.acl_class_no
                      CROSS JOIN LATERAL (
                             SELECT ragspine.counted_class_v1(v.statistics, l.acl_class_no, k.sensitivity)) AS c(acl_class_no)
                      CROSS JOIN LATERAL ragspine.list_lexemes_v1(l.impacts) AS n
                      WHERE l.tenant_no = v.tenant_no AND l.version_no = v.version_no AND c.acl_class_no IS NOT NULL
                      GROUP BY n.lexeme_no, c.acl_class_no) AS r
            ON r.lexeme_no = s.lexeme_no AND r.acl_class_no = s.acl_class_no
         WHERE coalesce(s.chunk_count, 0) <> coalesce(r.chunk_count, 0)) AS wrong
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
 GROUP BY v.version
 ORDER BY v.version
