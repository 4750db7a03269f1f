-- Numbers in impacts that no lexeme of the version has.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a version that has some: where, how many.
SELECT 'version ' || v.version, count(*)
  FROM ragspine.index_version AS v
  JOIN ragspine.chunk_lexical AS l ON l.tenant_no = v.tenant_no AND l.version_no = v.version_no
 CROSS JOIN LATERAL ragspine.list_lexemes_v1(l.impacts) AS n
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND (n.lexeme_no < 1 OR n.lexeme_no > v.lexeme_count)
 GROUP BY v.version
 ORDER BY v.version
