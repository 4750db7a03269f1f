-- The vector ranking of each readable library whose space the query was embedded in.
--
-- Params:  libraries (ids, or null for all), versions (a cursor's, as JSON, or null), spaces and embeddings (parallel arrays:
--          fingerprint, vector as text), depth, filter (its JSON form, or null), min_score (or null).
-- Returns: a row a ranked chunk, by library and rank.
SELECT g.library_id, g.rank, g.chunk_no, g.chunk_id, g.score, g.strategy
  FROM ragspine.vector_legs_v1(
         %(libraries)s, %(versions)s::jsonb, %(spaces)s, %(embeddings)s, %(depth)s, %(filter)s::jsonb, %(min_score)s) AS g
