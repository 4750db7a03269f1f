-- Search as SQL callers see it; the public name is ragspine.search. See docs/guide/sql.md for the arguments.
CREATE FUNCTION ragspine.search_v1(
  query text, k integer, libraries text[], filter jsonb, query_embedding @vector@.vector, query_space text, mode text,
  expand text, min_score double precision, fusion jsonb, after text)
RETURNS TABLE (
  rank integer, score double precision, tenant text, library_id text, document_id text, chunk_id text,
  index_version integer, locator text, parent_locator text, title text, source_uri text, text text, window_text text,
  metadata jsonb, sensitivity text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT h.rank, h.score, h.tenant, h.library_id, h.document_id, h.chunk_id, h.index_version, h.locator, h.parent_locator,
         h.title, h.source_uri, h.text, h.window_text, h.metadata, h.sensitivity
    FROM ragspine.search_hits_v1(
           query, k, libraries, filter,
           CASE WHEN query_embedding IS NOT NULL OR query_space IS NOT NULL THEN ARRAY[query_space] END,
           CASE WHEN query_embedding IS NOT NULL OR query_space IS NOT NULL THEN ARRAY[query_embedding] END,
           mode, expand, min_score, fusion,
           ragspine.read_cursor_v1(
             after, ragspine.search_request_v1(query, mode, min_score, fusion))) AS h
   ORDER BY h.rank
$$;

COMMENT ON FUNCTION ragspine.search_v1(
  text, integer, text[], jsonb, @vector@.vector, text, text, text, double precision, jsonb, text)
  IS 'Search as SQL callers see it.';
