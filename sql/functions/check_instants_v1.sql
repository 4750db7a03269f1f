-- Judges a condition on a field declared 'timestamp': every value names an instant, and instants have no prefix. RS001.
CREATE FUNCTION ragspine.check_instants_v1(condition jsonb)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF condition ->> 'op' = 'prefix' THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'the field is a timestamp, which has no prefix');
  END IF;
  IF array_position(ragspine.read_instants_v1(condition -> 'value'), NULL::timestamptz) IS NOT NULL THEN
    PERFORM ragspine.refuse_filter_v1(condition,
      'the field is a timestamp: it takes RFC 3339 with an offset, or a plain date');
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.check_instants_v1(jsonb) IS 'Judges a condition on a field declared a timestamp.';
