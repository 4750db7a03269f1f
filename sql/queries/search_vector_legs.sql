-- The vector ranking of each library that is searched by it.
--
-- Params:  library_ids, version_nos, spaces (fingerprints), embeddings (vectors as text; parallel arrays), depth, query, filter (its
--          JSON form, or null), min_score (or null).
-- Returns: a row a ranked chunk, by library and rank; none for a version that the caller cannot read.
SELECT v.library_id, g.rank, g.chunk_no, g.chunk_id, g.score, g.strategy
  FROM unnest(%(library_ids)s::text[], %(version_nos)s::integer[], %(spaces)s::text[], %(embeddings)s::text[]) WITH ORDINALITY
       AS v(library_id, version_no, space, embedding, place)
 CROSS JOIN LATERAL ragspine.vector_leg_v1(
   v.version_no, v.space, ragspine.parse_embedding_v1(v.embedding), %(depth)s, %(filter)s::jsonb, %(min_score)s, %(query)s) AS g
 ORDER BY v.place, g.rank
