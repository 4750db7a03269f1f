-- An exact number as our canonical JSON writes it: never rounded, and as RFC 8785 wherever RFC 8785 can hold it.
--
-- Returns the form of canonical_float_v1 when that form's decimal value is the number itself ('0.1', '1e+21'), else plain
-- decimal digits without trailing zeros ('9007199254740993', '0.10000000000000000001'). So the text always reads back as
-- the same number, and a number that came from a float64 by its shortest form is written as that float64 is.
-- NaN and the infinities, which numeric has and JSON has not: RS006.
--
-- Casting to float64 raises outside its range, hence the bounds: the smallest and the largest shortest forms there are.
CREATE FUNCTION ragspine.canonical_number_v1(value numeric)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  plain CONSTANT text := trim_scale(value)::text;
  size CONSTANT numeric := abs(value);
  written text;
BEGIN
  IF size = 'NaN' OR size = 'Infinity' THEN
    RAISE EXCEPTION 'JSON has no form for NaN and the infinities' USING ERRCODE = 'RS006';
  END IF;
  -- At most 15 digits between 1e-6 and 1e15: any such decimal is the shortest form of its float64, and written plainly.
  IF size = 0 OR size < 1e15 AND size >= 1e-6 AND char_length(plain) <= 15 THEN
    RETURN plain;
  END IF;
  IF size >= 5e-324 AND size <= 1.7976931348623157e308 THEN
    written := ragspine.canonical_float_v1(value::double precision);
    IF written::numeric = value THEN
      RETURN written;
    END IF;
  END IF;
  RETURN plain;
END
$$;

COMMENT ON FUNCTION ragspine.canonical_number_v1(numeric) IS 'An exact number in canonical JSON: RFC 8785, or plain digits.';
