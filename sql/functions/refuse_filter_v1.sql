-- Raises RS001 about a condition of a metadata filter. Names field and operator (as JSON, at most 100 characters), never
-- the value. The same words as ragspine_pg/contract/condition.py.
CREATE FUNCTION ragspine.refuse_filter_v1(condition jsonb, reason text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  field CONSTANT text := CASE WHEN jsonb_typeof(condition -> 'field') = 'string' THEN condition ->> 'field' END;
  operator CONSTANT text := CASE WHEN jsonb_typeof(condition -> 'op') = 'string' THEN condition ->> 'op' END;
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = 'RS001',
    MESSAGE = format('filter on %s, operator %s: %s',
      coalesce(to_json(left(field, 100))::text, '?'), coalesce(to_json(left(operator, 100))::text, '?'), reason);
END
$$;

COMMENT ON FUNCTION ragspine.refuse_filter_v1(jsonb, text) IS 'Raises RS001 about a condition of a metadata filter.';
