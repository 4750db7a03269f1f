-- The distinct keys of a metadata value in the index of declared fields: its own, or one an element of a list.
--
-- Values of another type than the declared one have none. Never raises. See field_key_v1.
CREATE FUNCTION ragspine.field_keys_v1(value jsonb, type text)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF jsonb_typeof(value) = 'array' THEN
    RETURN ARRAY(
      SELECT DISTINCT k.key
        FROM jsonb_array_elements(field_keys_v1.value) AS e (value),
             ragspine.field_key_v1(e.value, field_keys_v1.type) AS k (key)
       WHERE k.key IS NOT NULL);
  END IF;
  RETURN array_remove(ARRAY[ragspine.field_key_v1(value, type)], NULL);
END
$$;

COMMENT ON FUNCTION ragspine.field_keys_v1(jsonb, text) IS 'The distinct keys of a value, or of the elements of a list.';
