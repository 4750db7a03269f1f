-- The lexical ranking of each readable library.
--
-- Params:  libraries (ids, or null for all), versions (a cursor's, as JSON, or null), query, depth, filter (its JSON form, or
--          null), min_score (or null).
-- Returns: a row a ranked chunk, by library and rank.
SELECT l.library_id, g.rank, g.chunk_no, g.chunk_id, g.score, 'scan'
  FROM ragspine.readable_libraries_v1(%(libraries)s, %(versions)s::jsonb) AS l
 CROSS JOIN LATERAL ragspine.lexical_leg_v1(l.version_no, %(query)s, %(depth)s, %(filter)s::jsonb, %(min_score)s) AS g
 ORDER BY l.library_id COLLATE "C", g.rank
