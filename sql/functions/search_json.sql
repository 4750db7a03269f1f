-- The public name of search_json_v1, with its defaults.
CREATE FUNCTION ragspine.search_json(
  query text, k integer DEFAULT 10, libraries text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
  query_embedding @vector@.vector DEFAULT NULL, query_space text DEFAULT NULL, mode text DEFAULT 'auto',
  expand text DEFAULT NULL, min_score double precision DEFAULT NULL, fusion jsonb DEFAULT NULL, after text DEFAULT NULL)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ragspine.search_json_v1(query, k, libraries, filter, query_embedding, query_space, mode, expand, min_score, fusion, after)
$$;

COMMENT ON FUNCTION ragspine.search_json(text, integer, text[], jsonb, @vector@.vector, text, text, text, double precision, jsonb, text)
  IS 'A search as one canonical JSON object.';
