-- Judges one condition of a metadata filter and returns the type it compares by, or raises RS001.
--
-- declared: the field's declared type in the library, or null.
-- Returns   'timestamp' where the field is declared one, else 'string', 'number' or 'boolean'; null where there is no value
--           to compare with (exists, is_null, an empty list).
-- The rules and words are those of ragspine_pg/contract/condition.py: Python callers meet them there first, but SQL callers
-- bring raw jsonb.
CREATE FUNCTION ragspine.check_condition_v1(condition jsonb, declared text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  operators CONSTANT text[] := ARRAY[
    'eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'between',
    'exists', 'is_null', 'contains', 'contains_any', 'contains_all', 'prefix'];
  -- What Python's str.isspace() accepts, written out because a server's notion of white space depends on its locale.
  blank CONSTANT text := E'\t\n\u000b\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005'
    '\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';
  op CONSTANT text := condition ->> 'op';
  value CONSTANT jsonb := condition -> 'value';
  form CONSTANT text := coalesce(jsonb_typeof(value), 'null');
  kind text;
BEGIN
  IF jsonb_typeof(condition -> 'field') IS DISTINCT FROM 'string' OR btrim(condition ->> 'field', blank) = '' THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'a field is a string, not blank, without NUL or lone surrogates');
  END IF;
  IF jsonb_typeof(condition -> 'op') IS DISTINCT FROM 'string' OR op <> ALL (operators) THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'an operator is one of ' || array_to_string(operators, ', '));
  END IF;
  IF op IN ('exists', 'is_null') THEN
    IF form NOT IN ('boolean', 'null') THEN
      PERFORM ragspine.refuse_filter_v1(condition, 'it takes true, false or no value');
    END IF;
    RETURN NULL;
  END IF;
  IF op IN ('in', 'nin', 'contains_any', 'contains_all', 'between') THEN
    IF form <> 'array' THEN
      PERFORM ragspine.refuse_filter_v1(condition, 'it takes a list of strings, numbers or booleans');
    END IF;
    kind := ragspine.check_values_v1(condition, value, true);
  ELSE
    IF form = 'null' THEN
      PERFORM ragspine.refuse_filter_v1(condition, 'it needs a value; is_null finds null');
    END IF;
    kind := ragspine.check_values_v1(condition, jsonb_build_array(value), false);
  END IF;
  IF op = 'prefix' AND kind <> 'string' THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'it takes one string');
  END IF;
  IF op = 'between' AND jsonb_array_length(value) <> 2 THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'it takes a list of two bounds');
  END IF;
  IF kind IS NOT NULL AND declared = 'timestamp' THEN
    PERFORM ragspine.check_instants_v1(condition);
    kind := 'timestamp';
  END IF;
  IF op = 'between' AND (CASE kind
    WHEN 'string' THEN (value ->> 0) COLLATE "C" > (value ->> 1)
    WHEN 'timestamp' THEN ragspine.read_instant_v1(value ->> 0) > ragspine.read_instant_v1(value ->> 1)
    ELSE value -> 0 > value -> 1
  END) THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'the bounds are reversed');
  END IF;
  RETURN kind;
END
$$;

COMMENT ON FUNCTION ragspine.check_condition_v1(jsonb, text) IS 'Judges a condition of a metadata filter; the type it compares by.';
