-- The expression of an ordering condition (gt, gte, lt, lte, between, prefix) on a single metadata value. Owner only.
--
-- path:    where in the filter, parameter $1, the condition stands.
-- wanted:  true for where the condition is true, false for where it is false (not where it is unknown).
-- kind:    the type it compares by; the CASE lets only a value of that type reach the comparison. Numbers and booleans compare
--          as jsonb, which is exact; strings by code point.
CREATE FUNCTION ragspine.compile_ordering_v1(op text, wanted boolean, path text[], kind text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  field CONSTANT text := format('$1 #>> %L', path || ARRAY['field']);
  found CONSTANT text := CASE kind
    WHEN 'string' THEN format('(d.metadata ->> (%s)) COLLATE "C"', field)
    WHEN 'timestamp' THEN format('ragspine.read_instant_v1(d.metadata ->> (%s))', field)
    ELSE format('(d.metadata -> (%s))', field)
  END;
  reading CONSTANT text := CASE kind
    WHEN 'string' THEN '($1 #>> %L)'
    WHEN 'timestamp' THEN 'ragspine.read_instant_v1($1 #>> %L)'
    ELSE '($1 #> %L)'
  END;
  low CONSTANT text := format(reading, path || CASE op WHEN 'between' THEN ARRAY['value', '0'] ELSE ARRAY['value'] END);
  high CONSTANT text := format(reading, path || ARRAY['value', '1']);
BEGIN
  RETURN format('CASE WHEN jsonb_typeof(d.metadata -> (%s)) = %L THEN %s END',
    field,
    CASE kind WHEN 'timestamp' THEN 'string' ELSE kind END,
    CASE op || ' ' || wanted
      WHEN 'gt true' THEN found || ' > ' || low
      WHEN 'gt false' THEN found || ' <= ' || low
      WHEN 'gte true' THEN found || ' >= ' || low
      WHEN 'gte false' THEN found || ' < ' || low
      WHEN 'lt true' THEN found || ' < ' || low
      WHEN 'lt false' THEN found || ' >= ' || low
      WHEN 'lte true' THEN found || ' <= ' || low
      WHEN 'lte false' THEN found || ' > ' || low
      WHEN 'between true' THEN format('%s >= %s AND %s <= %s', found, low, found, high)
      WHEN 'between false' THEN format('(%s < %s OR %s > %s)', found, low, found, high)
      WHEN 'prefix true' THEN format('starts_with(%s, %s)', found, low)
      WHEN 'prefix false' THEN format('NOT starts_with(%s, %s)', found, low)
    END);
END
$$;

COMMENT ON FUNCTION ragspine.compile_ordering_v1(text, boolean, text[], text) IS 'The expression of an ordering condition.';
