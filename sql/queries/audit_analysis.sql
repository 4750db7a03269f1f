-- Chunks whose length or impacts are not those of a new analysis under the version's k1, b, pivot and
-- title_weight.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a document that has some, at most ten: where, how many.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
  JOIN ragspine.chunk AS c ON c.tenant_no = d.tenant_no AND c.document_no = d.document_no
  JOIN ragspine.index_version AS v ON v.tenant_no = c.tenant_no AND v.version_no = c.version_no
  JOIN ragspine.chunk_lexical AS l
    ON l.tenant_no = c.tenant_no AND l.version_no = c.version_no AND l.acl_class_no = c.acl_class_no
   AND l.chunk_no = c.chunk_no
 CROSS JOIN LATERAL ragspine.analyze_chunk_v1(
        d.title, c.text, ragspine.document_analyzer_v1(v.analyzer, d.language),
        coalesce((v.profile ->> 'title_weight')::integer, 1)) AS a
 CROSS JOIN LATERAL (
        SELECT string_agg(k.lexeme_no || ':' || (o.frequency / (o.frequency + n.norm))::real, ',' ORDER BY k.lexeme_no) AS pairs
          FROM (SELECT v.k1 * (1 - v.b + v.b * a.length / v.pivot)) AS n(norm)
         CROSS JOIN unnest(a.lexemes, a.frequencies) AS o(lexeme, frequency)
         CROSS JOIN LATERAL (
                SELECT x.lexeme_no
                  FROM ragspine.lexeme AS x
                 WHERE x.tenant_no = v.tenant_no AND x.version_no = v.version_no AND x.lexeme = o.lexeme COLLATE "C"
                OFFSET 0) AS k) AS g
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND (l.length <> a.length OR l.impacts::text <> ragspine.parse_impacts_v1(g.pairs)::text)
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
