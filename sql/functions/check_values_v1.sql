-- Judges the values of a condition and returns their one type: 'string', 'number', 'boolean', or null for an empty list.
--
-- scalars: the values as a list. many: whether the operator takes a list. RS001 for a value that is no scalar, for mixed
-- types, and for a number of more than 1,000 significant digits or whose first digit is more than 1,000 places off the point.
CREATE FUNCTION ragspine.check_values_v1(condition jsonb, scalars jsonb, many boolean)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kinds text[];
BEGIN
  kinds := ARRAY(SELECT DISTINCT jsonb_typeof(e.value) FROM jsonb_array_elements(scalars) AS e (value));
  IF NOT kinds <@ ARRAY['string', 'number', 'boolean'] THEN
    PERFORM ragspine.refuse_filter_v1(condition,
      CASE WHEN many THEN 'it takes a list of strings, numbers or booleans'
           ELSE 'it takes one string, number or boolean' END);
  END IF;
  IF cardinality(kinds) > 1 THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'the values of a list are of one type');
  END IF;
  IF kinds = ARRAY['number'] AND EXISTS (
    SELECT
      FROM jsonb_array_elements_text(scalars) AS e (number)
     WHERE length(trim('0' FROM translate(e.number, '-.', ''))) > 1000
        OR trim('0' FROM translate(e.number, '-.', '')) <> ''
           AND substr(ragspine.number_key_v1(ltrim(e.number, '-')), 2, 6)::integer - 500001 NOT BETWEEN -1000 AND 1000)
  THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'a number has at most 1000 digits');
  END IF;
  RETURN kinds[1];
END
$$;

COMMENT ON FUNCTION ragspine.check_values_v1(jsonb, jsonb, boolean) IS 'Judges the values of a condition; their type.';
