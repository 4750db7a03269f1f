-- A float64 as RFC 8785 writes it: ECMAScript's Number::toString, the shortest decimal that reads back as the same number.
--
-- Returns e.g. '0.1', '1e+21', '1e-7'; '0' for minus zero. NaN and the infinities have no form in JSON: RS006.
--
-- PostgreSQL's own shortest form differs in two ways. It is written otherwise (1e-07, 1e+15). And it never takes a decimal
-- exactly half-way between two float64s, although reading rounds such a one to the even neighbour: 1e23 comes out as
-- 9.999999999999999e+22. A shorter decimal of that kind can only be the nearest one below or above with one digit less,
-- and lies between 2^53 and 1e40: the half-way point is an odd 54-bit integer times a power of two, so as N * 10^k with
-- N < 1e17 it has k <= 23, because that odd integer contains 5^k.
--
-- extra_float_digits is set because a session may have asked for fewer digits, and the cast to text obeys it.
CREATE FUNCTION ragspine.canonical_float_v1(value double precision)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET extra_float_digits = 1
AS $$
DECLARE
  size CONSTANT double precision := abs(value);
  sign CONSTANT text := CASE WHEN value < 0 THEN '-' ELSE '' END;
  written CONSTANT text := size::text;
  shortest numeric;
  step numeric;
  shorter numeric;
  digits text;
BEGIN
  IF size = 'NaN' OR size = 'Infinity' THEN
    RAISE EXCEPTION 'JSON has no form for NaN and the infinities' USING ERRCODE = 'RS006';
  END IF;
  shortest := written::numeric;
  IF size >= 9007199254740992 AND size < 1e40 THEN
    step := ('1e' || 1 + char_length(shortest::text) - char_length(rtrim(shortest::text, '0')))::numeric;
    shorter := shortest - shortest % step;
    IF shorter::double precision = size THEN
      shortest := shorter;
    ELSIF (shorter + step)::double precision = size THEN
      shortest := shorter + step;
    END IF;
  END IF;
  IF size = 0 OR size >= 1e-6 AND size < 1e21 THEN
    RETURN sign || trim_scale(shortest)::text;
  ELSIF size < 1 THEN
    RETURN sign || split_part(written, 'e', 1) || 'e' || split_part(written, 'e', 2)::integer;
  END IF;
  digits := rtrim(shortest::text, '0');
  RETURN sign || left(digits, 1) || CASE WHEN char_length(digits) > 1 THEN '.' ELSE '' END || substr(digits, 2)
      || 'e+' || char_length(shortest::text) - 1;
END
$$;

COMMENT ON FUNCTION ragspine.canonical_float_v1(double precision) IS 'A float64 as RFC 8785 writes it.';
