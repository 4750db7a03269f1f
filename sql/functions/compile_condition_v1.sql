-- The expression of one condition: where it is true (wanted), or where it is false. Never raises on any stored metadata.
--
-- path: where in the filter, parameter $1, the condition stands. kind: the type it compares by, see check_condition_v1.
-- Where the condition is unknown, both expressions are false or null. Missing fields give null throughout, except in exists
-- and is_null, which are never unknown.
CREATE FUNCTION ragspine.compile_condition_v1(condition jsonb, wanted boolean, path text[], kind text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  op CONSTANT text := condition ->> 'op';
  value CONSTANT jsonb := condition -> 'value';
  size CONSTANT integer := CASE jsonb_typeof(value) WHEN 'array' THEN jsonb_array_length(value) ELSE 1 END;
  form CONSTANT text := format('jsonb_typeof(d.metadata -> ($1 #>> %L))', path || ARRAY['field']);
  -- exists and is_null with `false` are the contrary.
  positive CONSTANT boolean := wanted = (value IS DISTINCT FROM 'false');
BEGIN
  CASE op
    WHEN 'eq', 'in', 'contains', 'contains_any', 'contains_all' THEN
      RETURN ragspine.compile_membership_v1(op, wanted, path, kind, size);
    WHEN 'ne' THEN
      RETURN ragspine.compile_membership_v1('eq', NOT wanted, path, kind, size);
    WHEN 'nin' THEN
      RETURN ragspine.compile_membership_v1('in', NOT wanted, path, kind, size);
    WHEN 'exists' THEN
      RETURN format('coalesce(%s, ''null'') %s ''null''', form, CASE WHEN positive THEN '<>' ELSE '=' END);
    WHEN 'is_null' THEN
      RETURN format('coalesce(%s, ''missing'') %s ''null''', form, CASE WHEN positive THEN '=' ELSE '<>' END);
    ELSE
      RETURN ragspine.compile_ordering_v1(op, wanted, path, kind);
  END CASE;
END
$$;

COMMENT ON FUNCTION ragspine.compile_condition_v1(jsonb, boolean, text[], text) IS 'The expression of one condition.';
