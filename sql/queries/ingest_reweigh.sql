-- Analyses stored chunks again and writes their impacts for another pivot, a slice of the version at a time.
--
-- params: tenant_no, version_no, analyzer, title_weight, k1, b, pivot, after_no (chunk_no before the slice), size (chunks in it)
-- Returns one row: the last chunk_no of the slice (NULL when none is left) and the number of chunks.
WITH slice AS MATERIALIZED (
  SELECT c.chunk_no, c.acl_class_no, c.text, d.title, d.language
    FROM ragspine.chunk AS c
    JOIN ragspine.document AS d ON d.tenant_no = c.tenant_no AND d.document_no = c.document_no
   WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.chunk_no > %(after_no)s
   ORDER BY c.chunk_no
   LIMIT %(size)s
), weighed AS (
  SELECT s.chunk_no, s.acl_class_no, g.pairs
    FROM slice AS s
   CROSS JOIN LATERAL ragspine.analyze_chunk_v1(
          s.title, s.text, ragspine.document_analyzer_v1(%(analyzer)s, s.language), %(title_weight)s) AS a
   CROSS JOIN LATERAL (
          SELECT string_agg(k.lexeme_no || ':' || (o.frequency / (o.frequency + n.norm))::real, ',' ORDER BY k.lexeme_no)
                   AS pairs
            FROM (SELECT %(k1)s::double precision * (1 - %(b)s::double precision
                           + %(b)s::double precision * a.length / %(pivot)s::double precision)) AS n(norm)
           CROSS JOIN unnest(a.lexemes, a.frequencies) AS o(lexeme, frequency)
           CROSS JOIN LATERAL (
                  SELECT l.lexeme_no
                    FROM ragspine.lexeme AS l
                   WHERE l.tenant_no = %(tenant_no)s AND l.version_no = %(version_no)s AND l.lexeme = o.lexeme COLLATE "C"
                  OFFSET 0) AS k) AS g
), changed AS (
  UPDATE ragspine.chunk_lexical AS l
     SET impacts = ragspine.parse_impacts_v1(w.pairs)
    FROM weighed AS w
   WHERE l.tenant_no = %(tenant_no)s AND l.version_no = %(version_no)s AND l.acl_class_no = w.acl_class_no
     AND l.chunk_no = w.chunk_no
)
SELECT max(s.chunk_no), count(*) FROM slice AS s
