-- The lexical ranking of each library that is searched.
--
-- Params:  library_ids, version_nos (parallel arrays), query, depth, filter (its JSON form, or null), min_score (or null).
-- Returns: a row a ranked chunk, by library and rank; none for a version that the caller cannot read.
SELECT v.library_id, g.rank, g.chunk_no, g.chunk_id, g.score, 'exact'
  FROM unnest(%(library_ids)s::text[], %(version_nos)s::integer[]) WITH ORDINALITY AS v(library_id, version_no, place)
 CROSS JOIN LATERAL ragspine.lexical_leg_v1(v.version_no, %(query)s, %(depth)s, %(filter)s::jsonb, %(min_score)s) AS g
 ORDER BY v.place, g.rank
