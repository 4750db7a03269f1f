-- The lexical ranking of each readable library.
--
-- Params:  libraries (ids, or null for all), query, k, filter (its JSON form, or null), min_score (or null).
-- Returns: a row a ranked chunk, by library and rank; one row without a chunk for a library that has no match. The query is
--          analysed once a library (OFFSET 0), not once a chunk.
SELECT l.library_id, l.version, l.version_no, l.analyzer, l.fields,
       l.term_count,
       g.rank, g.chunk_no, g.chunk_id, g.score
  FROM (SELECT r.*, (SELECT count(*) FROM ragspine.analyze_v1(%(query)s, r.analyzer)) AS term_count
          FROM ragspine.readable_libraries_v1(%(libraries)s) AS r
        OFFSET 0) AS l
  LEFT JOIN LATERAL ragspine.lexical_leg_v1(l.version_no, %(query)s, %(k)s, %(filter)s::jsonb, %(min_score)s) AS g ON true
 ORDER BY l.library_id COLLATE "C", g.rank
