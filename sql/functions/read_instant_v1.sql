-- The instant a timestamp of a document's metadata names, or null when it names none. Never raises.
--
-- Read are RFC 3339 timestamps with an offset of at most 15:59 (also `t`, `z`, and a space for the `T`) and plain dates,
-- which mean their midnight in UTC. Digits after the microsecond are cut off, not rounded; a second of 60 is refused. The
-- same as ragspine_pg/contract/instant.py.
--
-- IMMUTABLE although it casts text to timestamptz: with year, month and day in that order and a numeric offset, the cast
-- depends on no setting. Only what pg_input_is_valid has passed is cast. The groups of the pattern capture nothing, which
-- spares a third of its time.
CREATE FUNCTION ragspine.read_instant_v1(text text)
RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  form CONSTANT text :=
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}'
    '(?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,32})?(?:[Zz]|[+-](?:0[0-9]|1[0-5]):[0-5][0-9]))?$';
  plain text := text;
BEGIN
  IF octet_length(text) > 58 OR text !~ form THEN
    RETURN NULL;
  END IF;
  IF octet_length(text) = 10 THEN
    plain := text || ' 00:00:00+00:00';
  ELSIF right(text, 1) IN ('Z', 'z') THEN
    plain := left(text, -1) || '+00:00';  -- `Z` itself would be looked up in the setting timezone_abbreviations
  END IF;
  IF octet_length(plain) > 32 THEN
    plain := left(plain, 26) || right(plain, 6);
  END IF;
  RETURN CASE WHEN pg_input_is_valid(plain, 'timestamptz') THEN plain::timestamptz END;
END
$$;

COMMENT ON FUNCTION ragspine.read_instant_v1(text) IS 'The instant an RFC 3339 text names, or null.';
