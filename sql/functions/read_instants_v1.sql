-- The instants of a metadata value: one for a single value, one an element for a list, null for each that is none.
--
-- Null for a missing value and for JSON null. Never raises. See read_instant_v1.
CREATE FUNCTION ragspine.read_instants_v1(value jsonb)
RETURNS timestamptz[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  CASE jsonb_typeof(value)
    WHEN 'string' THEN
      RETURN ARRAY[ragspine.read_instant_v1(value #>> '{}')];
    WHEN 'array' THEN
      RETURN ARRAY(
        SELECT CASE WHEN jsonb_typeof(e.value) = 'string' THEN ragspine.read_instant_v1(e.value #>> '{}') END
          FROM jsonb_array_elements(read_instants_v1.value) AS e (value));
    WHEN 'null' THEN
      RETURN NULL;
    ELSE
      RETURN ARRAY[NULL::timestamptz];
  END CASE;
END
$$;

COMMENT ON FUNCTION ragspine.read_instants_v1(jsonb) IS 'The instants of a metadata value or list, null for what is none.';
