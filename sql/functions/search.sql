-- The public name of search_v1, with its defaults.
CREATE FUNCTION ragspine.search(
  query text, k integer DEFAULT 10, libraries text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
  query_embedding @vector@.vector DEFAULT NULL, query_space text DEFAULT NULL, mode text DEFAULT 'auto',
  expand text DEFAULT NULL, min_score double precision DEFAULT NULL, fusion jsonb DEFAULT NULL, after text DEFAULT NULL)
RETURNS TABLE (
  rank integer, score double precision, tenant text, library_id text, document_id text, chunk_id text,
  index_version integer, locator text, parent_locator text, title text, source_uri text, text text, window_text text,
  metadata jsonb, sensitivity text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT s.rank, s.score, s.tenant, s.library_id, s.document_id, s.chunk_id, s.index_version, s.locator, s.parent_locator,
         s.title, s.source_uri, s.text, s.window_text, s.metadata, s.sensitivity
    FROM ragspine.search_v1(query, k, libraries, filter, query_embedding, query_space, mode, expand, min_score, fusion, after) AS s
$$;

COMMENT ON FUNCTION ragspine.search(text, integer, text[], jsonb, @vector@.vector, text, text, text, double precision, jsonb, text)
  IS 'The k best passages that the transaction''s grant may read.';
