-- Writes chunks of new and rewritten documents with their impacts: tf / (tf + k1 * (1 - b + b * length / pivot)); and into the
-- tail, since no posting holds them.
--
-- MATERIALIZED: a range of chunk_seq looks small to the planner, which would weigh all chunks again for each one.
--
-- params: tenant_no, version_no, k1, b, pivot, first_seq, after_seq (chunk_seq from the first to before the second)
-- Returns one row: their number.
WITH written AS (
  INSERT INTO ragspine.chunk
         (tenant_no, version_no, document_no, document_length, acl_class_no, chunk_id, ordinal, span_start, span_end,
          slice_sha256, window_no, text)
  SELECT %(tenant_no)s, %(version_no)s, p.document_no, s.text_length, p.acl_class_no, c.chunk_id, c.ordinal, c.span_start,
         c.span_end, c.slice_sha256,
         CASE WHEN c.window_start IS NOT NULL THEN
           (SELECT w.window_no
              FROM ragspine.parent_window AS w
             WHERE w.tenant_no = %(tenant_no)s AND w.version_no = %(version_no)s AND w.document_no = p.document_no
               AND w.span_start = c.window_start AND w.span_end = c.window_end)
         END,
         c.text
    FROM pg_temp.ragspine_stage_chunk AS c
    JOIN pg_temp.ragspine_stage_plan AS p ON p.document_seq = c.document_seq
    JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = c.document_seq
   WHERE c.chunk_seq >= %(first_seq)s AND c.chunk_seq < %(after_seq)s AND p.rewrite
   ORDER BY c.chunk_seq
  RETURNING chunk_no, document_no, acl_class_no, chunk_id
), weighed AS MATERIALIZED (
  SELECT o.chunk_seq,
         string_agg(w.lexeme_no || ':' || (o.frequency / (o.frequency + o.norm))::real, ',' ORDER BY w.lexeme_no) AS pairs
    FROM (SELECT a.chunk_seq, %(k1)s::double precision * (1 - %(b)s::double precision
                   + %(b)s::double precision * a.length / %(pivot)s::double precision) AS norm,
                 unnest(a.lexemes) AS lexeme, unnest(a.frequencies) AS frequency
            FROM pg_temp.ragspine_stage_analysis AS a
           WHERE a.chunk_seq >= %(first_seq)s AND a.chunk_seq < %(after_seq)s) AS o
    JOIN pg_temp.ragspine_stage_word AS w ON w.lexeme = o.lexeme
   GROUP BY o.chunk_seq
), indexed AS (
  INSERT INTO ragspine.chunk_lexical (tenant_no, version_no, acl_class_no, chunk_no, document_no, length, impacts)
  SELECT %(tenant_no)s, %(version_no)s, n.acl_class_no, n.chunk_no, n.document_no, a.length,
         ragspine.parse_impacts_v1(g.pairs)
    FROM written AS n
    JOIN pg_temp.ragspine_stage_chunk AS c
      ON c.chunk_id = n.chunk_id AND c.chunk_seq >= %(first_seq)s AND c.chunk_seq < %(after_seq)s
    JOIN pg_temp.ragspine_stage_analysis AS a
      ON a.chunk_seq = c.chunk_seq AND a.chunk_seq >= %(first_seq)s AND a.chunk_seq < %(after_seq)s
    LEFT JOIN weighed AS g ON g.chunk_seq = a.chunk_seq
  RETURNING acl_class_no, chunk_no
), unsealed AS (
  INSERT INTO ragspine.lexical_tail (tenant_no, version_no, acl_class_no, chunk_no)
  SELECT %(tenant_no)s, %(version_no)s, i.acl_class_no, i.chunk_no
    FROM indexed AS i
)
SELECT count(*) FROM indexed
