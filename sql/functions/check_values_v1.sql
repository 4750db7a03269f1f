-- Judges the values of a condition and returns their one type: 'string', 'number', 'boolean', or null for an empty list.
--
-- scalars: the values as a list. many: whether the operator takes a list. RS001 for a value that is no scalar, for mixed
-- types, and for a number with more than 1,000 significant digits or a first digit more than 1,000 places off the units.
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
      FROM jsonb_array_elements_text(scalars) AS e (number),
           ltrim(split_part(e.number, '.', 1), '-0') AS whole,
           split_part(e.number, '.', 2) AS fraction
     WHERE length(trim('0' FROM whole || fraction)) > 1000
        OR length(whole) > 1001
        OR whole = '' AND fraction LIKE repeat('0', 1000) || '%' AND trim('0' FROM fraction) <> '')
  THEN
    PERFORM ragspine.refuse_filter_v1(condition, 'a number has at most 1000 digits');
  END IF;
  RETURN kinds[1];
END
$$;

COMMENT ON FUNCTION ragspine.check_values_v1(jsonb, jsonb, boolean) IS 'Judges the values of a condition; their type.';
