-- The elements of a JSON list as an array, empty for anything else. Never raises.
--
-- IMMUTABLE, so that the list of an `in` is folded to a constant when the statement is planned, and `= ANY` can hash it.
CREATE FUNCTION ragspine.list_values_v1(list jsonb)
RETURNS jsonb[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF jsonb_typeof(list) <> 'array' THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(SELECT e.value FROM jsonb_array_elements(list) AS e (value));
END
$$;

COMMENT ON FUNCTION ragspine.list_values_v1(jsonb) IS 'The elements of a JSON list as an array.';
