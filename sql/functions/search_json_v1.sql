-- Search as one canonical JSON object (RFC 8785): byte for byte what Python's result.to_json() gives.
--
-- Arguments as in ragspine.search. reason: null for k hits, else 'no_grant', 'nothing_readable' (no library of those asked
-- for holds a document the caller may read), 'no_searchable_term' (analysis leaves nothing of the query), 'no_match', or
-- 'fewer_matches' than k.
CREATE FUNCTION ragspine.search_json_v1(
  query text, k integer, libraries text[], filter jsonb, query_embedding @vector@.vector, query_space text, mode text,
  expand text, min_score double precision)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET extra_float_digits = 1  -- scores become jsonb by way of text: keep all their digits, whatever the session says
AS $$
DECLARE
  versions jsonb;
  hits jsonb;
  terms bigint;
  warnings CONSTANT text[] := ragspine.require_backstop_v1();
  found integer;
BEGIN
  SELECT jsonb_agg(jsonb_build_object(
           'rank', h.rank, 'score', h.score, 'tenant', h.tenant, 'library_id', h.library_id, 'document_id', h.document_id,
           'chunk_id', h.chunk_id, 'index_version', h.index_version, 'locator', h.locator,
           'parent_locator', h.parent_locator, 'title', h.title, 'source_uri', h.source_uri, 'text', h.text,
           'window_text', h.window_text, 'metadata', h.metadata, 'sensitivity', h.sensitivity,
           'scores', jsonb_build_object('lexical', h.lexical_score),
           'ranks', jsonb_build_object('lexical', h.lexical_rank)) ORDER BY h.rank)
    INTO hits
    FROM ragspine.search_hits_v1(
           query, k, libraries, filter,
           CASE WHEN query_embedding IS NOT NULL OR query_space IS NOT NULL THEN 'vector' ELSE mode END, expand, min_score) AS h;
  SELECT jsonb_object_agg(l.library_id, l.version), sum((SELECT count(*) FROM ragspine.analyze_v1(query, l.analyzer)))
    INTO versions, terms
    FROM ragspine.readable_libraries_v1(libraries) AS l;
  found := coalesce(jsonb_array_length(hits), 0);
  RETURN ragspine.canonical_json_v1(jsonb_build_object(
    'query', query,
    'mode', 'economy',
    'index_versions', coalesce(versions, '{}'),
    'hits', coalesce(hits, '[]'),
    'reason', CASE
      WHEN found = k THEN NULL
      WHEN found > 0 THEN 'fewer_matches'
      WHEN (ragspine.granted_v1()).state <> 'valid' THEN 'no_grant'
      WHEN versions IS NULL THEN 'nothing_readable'
      WHEN terms = 0 THEN 'no_searchable_term'
      ELSE 'no_match' END,
    'warnings', to_jsonb(warnings),
    'cursor', NULL));
END
$$;

COMMENT ON FUNCTION ragspine.search_json_v1(text, integer, text[], jsonb, @vector@.vector, text, text, text, double precision)
  IS 'Search as one canonical JSON object.';
