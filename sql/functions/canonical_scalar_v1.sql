-- Canonical JSON of a value that has no children: null, booleans, numbers, strings, and the empty array and object.
--
-- Returns NULL for an array or object with children. PostgreSQL's own escapes of a string are those of RFC 8785: the five
-- short ones, quote and backslash, lower-case \u00xx for other control characters, and every other character as it is.
CREATE FUNCTION ragspine.canonical_scalar_v1(value jsonb)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE jsonb_typeof(value)
    WHEN 'number' THEN ragspine.canonical_number_v1(value::numeric)
    WHEN 'array' THEN CASE WHEN value = '[]' THEN '[]' END
    WHEN 'object' THEN CASE WHEN value = '{}' THEN '{}' END
    ELSE value::text
  END;
END
$$;

COMMENT ON FUNCTION ragspine.canonical_scalar_v1(jsonb) IS 'Canonical JSON of a value without children.';
