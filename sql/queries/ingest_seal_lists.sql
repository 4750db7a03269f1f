-- Writes a run's lists, 64 lexemes in a row: of each its largest impact, how many postings stand in blocks, and the others.
--
-- params: tenant_no, version_no, acl_class_no, run_no, size (chunks in a segment), width (lexemes in a row)
-- Returns one row: the number of rows.
WITH numbered AS MATERIALIZED (
  SELECT l.*, (dense_rank() OVER (ORDER BY l.lexeme_no) - 1) / %(width)s AS row_no
    FROM pg_temp.ragspine_seal_lexeme AS l
), term AS (
  SELECT l.lexeme_no, l.row_no, max(l.top) AS top,
         coalesce(sum(l.chunk_count) FILTER (WHERE l.pairs IS NULL), 0) AS frequency,
         coalesce(sum(l.chunk_count) FILTER (WHERE l.pairs IS NOT NULL), 0) AS listed
    FROM numbered AS l
   GROUP BY l.lexeme_no, l.row_no
), head AS (
  SELECT l.row_no, min(l.lexeme_no) AS first_lexeme_no, array_agg(l.lexeme_no ORDER BY l.lexeme_no) AS lexeme_nos,
         array_agg(l.top ORDER BY l.lexeme_no) AS tops, array_agg(l.frequency::integer ORDER BY l.lexeme_no) AS frequencies,
         array_agg(l.start ORDER BY l.lexeme_no) AS starts
    FROM (SELECT l.*, (sum(l.listed) OVER (PARTITION BY l.row_no ORDER BY l.lexeme_no) - l.listed)::integer AS start
            FROM term AS l) AS l
   GROUP BY l.row_no
), body AS (
  SELECT p.row_no, array_agg(p.place ORDER BY p.lexeme_no, p.place) AS places,
         array_agg(p.impact ORDER BY p.lexeme_no, p.place) AS impacts
    FROM (SELECT k.row_no, k.lexeme_no, k.segment_no * %(size)s + split_part(p.pair, ':', 1)::integer - 1 AS place,
                 split_part(p.pair, ':', 2)::real AS impact
            FROM numbered AS k
           CROSS JOIN LATERAL string_to_table(k.pairs, ',') AS p(pair)) AS p
   GROUP BY p.row_no
), written AS (
  INSERT INTO ragspine.posting_list
         (tenant_no, version_no, acl_class_no, run_no, first_lexeme_no, lexeme_nos, tops, frequencies, starts, places, impacts)
  SELECT %(tenant_no)s, %(version_no)s, %(acl_class_no)s, %(run_no)s, h.first_lexeme_no, h.lexeme_nos, h.tops, h.frequencies,
         h.starts, coalesce(b.places, '{}'), coalesce(b.impacts, '{}')
    FROM head AS h
    LEFT JOIN body AS b ON b.row_no = h.row_no
  RETURNING run_no
)
SELECT count(*) FROM written
