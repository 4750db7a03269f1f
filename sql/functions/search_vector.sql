-- Search by the vector leg alone: ragspine.search with mode 'vector'. The query's words play no part.
CREATE FUNCTION ragspine.search_vector(
  query_embedding @vector@.vector, query_space text, k integer DEFAULT 10, libraries text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
  expand text DEFAULT NULL, min_score double precision DEFAULT NULL, after text DEFAULT NULL)
RETURNS TABLE (
  rank integer, score double precision, tenant text, library_id text, document_id text, chunk_id text,
  index_version integer, locator text, parent_locator text, title text, source_uri text, text text, window_text text,
  metadata jsonb, sensitivity text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT s.rank, s.score, s.tenant, s.library_id, s.document_id, s.chunk_id, s.index_version, s.locator, s.parent_locator,
         s.title, s.source_uri, s.text, s.window_text, s.metadata, s.sensitivity
    FROM ragspine.search_v1('', k, libraries, filter, query_embedding, query_space, 'vector', expand, min_score, NULL, after) AS s
$$;

COMMENT ON FUNCTION ragspine.search_vector(@vector@.vector, text, integer, text[], jsonb, text, double precision, text)
  IS 'The k best passages by similarity that the transaction''s grant may read.';
