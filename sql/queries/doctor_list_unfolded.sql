-- Libraries with a statistic that is a sum of more rows than a limit.
--
-- params: limit. Returns one row a library: tenant, library id, rows of its longest sum.
SELECT t.tenant, l.library_id, max(sums.rows)
  FROM (SELECT c.tenant_no, c.version_no, count(*) AS rows
          FROM ragspine.corpus_stat AS c
         GROUP BY c.tenant_no, c.version_no, c.acl_class_no
         UNION ALL
        SELECT s.tenant_no, s.version_no, count(*)
          FROM ragspine.lexeme_stat AS s
         GROUP BY s.tenant_no, s.version_no, s.lexeme_no, s.acl_class_no) AS sums
  JOIN ragspine.index_version AS v ON v.tenant_no = sums.tenant_no AND v.version_no = sums.version_no
  JOIN ragspine.library AS l ON l.tenant_no = v.tenant_no AND l.library_no = v.library_no
  JOIN ragspine.tenant AS t ON t.tenant_no = v.tenant_no
 WHERE sums.rows > %(limit)s
 GROUP BY t.tenant, l.library_id
 ORDER BY 1, 2
