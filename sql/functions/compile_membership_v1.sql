-- The expression of a condition on equality (eq, in, contains, contains_any, contains_all): a value, or the elements of a list.
--
-- path:    where in the filter, parameter $1, the condition stands.
-- wanted:  true for where the condition is true, false for where it is false (not where it is unknown).
-- kind:    the type it compares by. size: how many values it compares with.
-- It is true where a value `hits`; it is false where none does and all are `known`, that is, of the condition's type.
-- Containment (@>) is equality for a scalar on the right: of the value itself, or of one of a list's elements, not deeper.
-- Over many values = ANY is the better one, since it hashes.
CREATE FUNCTION ragspine.compile_membership_v1(op text, wanted boolean, path text[], kind text, size integer)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  field CONSTANT text := format('($1 #>> %L)', path || ARRAY['field']);
  found CONSTANT text := format('(d.metadata -> %s)', field);
  form CONSTANT text := format('jsonb_typeof%s', found);
  value CONSTANT text := format('($1 #> %L)', path || ARRAY['value']);
  guard CONSTANT text := CASE WHEN op IN ('contains', 'contains_any', 'contains_all') THEN form || ' = ''array''' END;
  any_hits CONSTANT boolean := op IN ('in', 'contains_any');
  list text := format('ragspine.list_values_v1(%s)', value);
  hits text;
  elements_known text;
BEGIN
  IF size = 0 THEN
    -- An empty list: false for `in` and contains_any, true for contains_all, of whatever has the field or is a list.
    RETURN CASE WHEN (op = 'contains_all') = wanted THEN coalesce(guard, form || ' <> ''null''') ELSE 'false' END;
  END IF;
  IF kind = 'timestamp' THEN
    list := format('ragspine.read_instants_v1(%s)', value);
    hits := format(
      'CASE %s WHEN ''string'' THEN ragspine.read_instant_v1(d.metadata ->> %s) = ANY (%s) '
      'WHEN ''array'' THEN ragspine.read_instants_v1(%s) %s %s END',
      form, field, list, found, CASE WHEN any_hits THEN '&&' ELSE '@>' END, list);
    elements_known := format('array_position(ragspine.read_instants_v1(%s), NULL::timestamptz) IS NULL', found);
  ELSE
    hits := CASE
      WHEN NOT any_hits THEN format('%s @> %s', found, value)
      WHEN size <= 16 THEN format('%s @> ANY (%s)', found, list)
      ELSE format(
        'CASE %s WHEN ''array'' THEN EXISTS ('
        'SELECT FROM jsonb_array_elements(%s) AS e (value) WHERE e.value = ANY (%s)) ELSE %s = ANY (%s) END',
        form, found, list, found, list)
    END;
    elements_known := format('NOT jsonb_path_exists(%s, %L)', found, format('$[*].type() ? (@ != "%s")', kind));
  END IF;
  IF NOT wanted THEN
    hits := format('NOT (%s) AND CASE %s WHEN %L THEN true WHEN ''array'' THEN %s END',
      hits, form, CASE kind WHEN 'timestamp' THEN 'string' ELSE kind END, elements_known);
  END IF;
  RETURN concat_ws(' AND ', guard, hits);
END
$$;

COMMENT ON FUNCTION ragspine.compile_membership_v1(text, boolean, text[], text, integer)
  IS 'The expression of a condition on equality.';
