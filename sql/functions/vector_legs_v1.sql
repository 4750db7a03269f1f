-- The vector ranking of each readable library, for callers that have the query in the space of each.
--
-- libraries, versions: as in readable_libraries_v1.
-- spaces, embeddings:  the query in each space, parallel arrays; an embedding as text in pgvector's form, so that a caller
--                      need not know pgvector's schema. A library whose space is not among them is left out.
-- k, filter, min_score: as in vector_leg_v1.
CREATE FUNCTION ragspine.vector_legs_v1(
  libraries text[], versions jsonb, spaces text[], embeddings text[], k integer, filter jsonb, min_score double precision)
RETURNS TABLE (library_id text, rank integer, chunk_no bigint, chunk_id text, score double precision, strategy text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT l.library_id, g.rank, g.chunk_no, g.chunk_id, g.score, g.strategy
    FROM ragspine.readable_libraries_v1(libraries, versions) AS l
    JOIN unnest(spaces, embeddings) AS e(space, embedding) ON e.space = l.space
   CROSS JOIN LATERAL ragspine.vector_leg_v1(
     l.version_no, e.space, e.embedding::@vector@.vector, k, filter, min_score) AS g
   ORDER BY l.library_id COLLATE "C", g.rank
$$;

COMMENT ON FUNCTION ragspine.vector_legs_v1(text[], jsonb, text[], text[], integer, jsonb, double precision)
  IS 'The vector ranking of each readable library.';
