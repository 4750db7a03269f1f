-- What the rankings of one library weigh in a fusion. The twin is ragspine_pg/contract/fusion.py.
--
-- asked:     the call's description of the fusion, or null; its weights of the legs replace the version's own.
-- profiled:  the version's own, or null.
-- method:    'rrf', where a weight stands as it is, or 'convex', where those of the legs that run are scaled to a sum of 1.
-- lexical, vector: whether the leg runs.
-- Returns    the legs' weights, each times the library's.
CREATE FUNCTION ragspine.leg_weights_v1(
  asked jsonb, profiled jsonb, method text, library_id text, lexical boolean, vector boolean,
  OUT lexical_weight double precision, OUT vector_weight double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  weights CONSTANT jsonb := coalesce(asked -> 'weights', profiled -> 'weights');
  library_weight CONSTANT double precision := coalesce(asked -> 'libraries' -> library_id, '1');
  total double precision;
BEGIN
  lexical_weight := CASE WHEN lexical THEN coalesce(weights -> 'lexical', '1')::double precision ELSE 0 END;
  vector_weight := CASE WHEN vector THEN coalesce(weights -> 'vector', '1')::double precision ELSE 0 END;
  IF method = 'convex' THEN
    total := nullif(lexical_weight + vector_weight, 0);
    lexical_weight := coalesce(lexical_weight / total, 0);
    vector_weight := coalesce(vector_weight / total, 0);
  END IF;
  lexical_weight := lexical_weight * library_weight;
  vector_weight := vector_weight * library_weight;
END
$$;

COMMENT ON FUNCTION ragspine.leg_weights_v1(jsonb, jsonb, text, text, boolean, boolean)
  IS 'What the rankings of one library weigh in a fusion.';
