-- The decimal text of a number (as jsonb and numeric print it, without exponent) as a text that sorts like the number.
--
-- Sign, exponent, digits: `p` + exponent + digits for positive numbers, `o` for zero, `n` + their complements + `~` for
-- negative ones, so that code-point order is numeric order and equal numbers (1, 1.0, -0) have equal keys. Exponents are
-- those of the first digit, shifted by 500000 to six digits. Digits after the 1000th are cut: order stays, not strictly.
CREATE FUNCTION ragspine.number_key_v1(number text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  whole CONSTANT text := ltrim(split_part(ltrim(number, '-'), '.', 1), '0');
  fraction CONSTANT text := split_part(number, '.', 2);
  digits CONSTANT text := left(rtrim(ltrim(whole || fraction, '0'), '0'), 1000);
  exponent integer;
BEGIN
  IF digits = '' THEN
    RETURN 'o';
  END IF;
  exponent := CASE WHEN whole <> '' THEN length(whole) ELSE length(ltrim(fraction, '0')) - length(fraction) END + 500000;
  IF left(number, 1) = '-' THEN
    RETURN 'n' || translate(exponent || digits, '0123456789', '9876543210') || '~';
  END IF;
  RETURN 'p' || exponent || digits;
END
$$;

COMMENT ON FUNCTION ragspine.number_key_v1(text) IS 'A text that sorts in code-point order as the number does.';
