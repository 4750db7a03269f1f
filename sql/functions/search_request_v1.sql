-- What makes two searches pages of one result, as the object a cursor is bound to. The twin is SearchRequest.identity.
--
-- The libraries stand in the cursor already; a filter has many forms, and is applied to each page anew.
CREATE FUNCTION ragspine.search_request_v1(query text, mode text, min_score double precision, fusion jsonb)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
SET extra_float_digits = 1  -- min_score becomes jsonb by way of text: keep all its digits, whatever the session says
AS $$
  SELECT jsonb_build_object('query', query, 'mode', mode, 'min_score', min_score, 'fusion', fusion)
$$;

COMMENT ON FUNCTION ragspine.search_request_v1(text, text, double precision, jsonb) IS 'What a cursor is bound to.';
