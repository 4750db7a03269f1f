-- Compiles the part of a filter at a path: a condition, or a group with all that it holds.
--
-- wanted:     true for where the part is true, false for where it is false. Negation is pushed down to the conditions this
--             way, so the statement has no NOT over anything that can be unknown: unknown is neither.
-- truth:      the expression.
-- narrowing:  SELECTs of document numbers; the matches lie in each of them. A conjunction has those of all its parts, a
--             disjunction the union of one of each part, if each part has one.
-- conditions: how many there are (an empty group counts as one). RS001 for more than 1,000, or groups more than 32 deep.
CREATE FUNCTION ragspine.compile_node_v1(
  filter jsonb, path text[], wanted boolean, tenant_no integer, library_no integer,
  OUT truth text, OUT narrowing text[], OUT conditions integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  joins CONSTANT text[] := ARRAY['all_of', 'any_of', 'none_of'];
  node CONSTANT jsonb := filter #> path;
  keys text[];
  join_key text;
  conjunction boolean;
  part record;
  stranger text;
  truths text[] := '{}';
  unions text[] := '{}';
  field record;
  kind text;
BEGIN
  IF jsonb_typeof(node) IS DISTINCT FROM 'object' THEN
    RAISE EXCEPTION 'a filter is a JSON object, and so is each part of a group' USING ERRCODE = 'RS001';
  END IF;
  keys := ARRAY(SELECT k.key FROM jsonb_object_keys(node) AS k (key));

  IF cardinality(keys) > 1 OR NOT keys <@ joins THEN
    SELECT min(k.key COLLATE "C") INTO stranger FROM unnest(keys) AS k (key) WHERE k.key NOT IN ('field', 'op', 'value');
    IF stranger IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'RS001', MESSAGE = format(
        'a filter has no key %s here: a condition has field, op and value, '
        'a group has one of all_of, any_of, none_of and nothing else', to_json(left(stranger, 100)));
    END IF;
    SELECT f.field_no, f.type INTO field
      FROM ragspine.library_field AS f
     WHERE f.tenant_no = compile_node_v1.tenant_no AND f.library_no = compile_node_v1.library_no AND f.name = node ->> 'field';
    kind := ragspine.check_condition_v1(node, field.type);
    truth := '(' || ragspine.compile_condition_v1(node, wanted, path, kind) || ')';
    narrowing := array_remove(
      ARRAY[ragspine.compile_narrowing_v1(node, wanted, path, kind, field.type, tenant_no, field.field_no)], NULL);
    conditions := 1;
    RETURN;
  END IF;

  IF cardinality(path) >= 64 THEN
    RAISE EXCEPTION 'a filter nests at most 32 deep' USING ERRCODE = 'RS001';
  END IF;
  join_key := coalesce(keys[1], 'all_of');
  IF cardinality(keys) = 1 AND jsonb_typeof(node -> join_key) <> 'array' THEN
    RAISE EXCEPTION '% holds a list', join_key USING ERRCODE = 'RS001';
  END IF;
  -- none_of is true where all parts are false, and false where one is true.
  conjunction := (join_key = 'any_of') <> wanted;
  narrowing := '{}';
  conditions := 0;
  FOR position IN 0 .. coalesce(jsonb_array_length(node -> join_key), 0) - 1 LOOP
    part := ragspine.compile_node_v1(
      filter, path || ARRAY[join_key, position::text], wanted = (join_key <> 'none_of'), tenant_no, library_no);
    conditions := conditions + part.conditions;
    IF conditions > 1000 THEN
      RAISE EXCEPTION 'a filter holds at most 1000 conditions' USING ERRCODE = 'RS001';
    END IF;
    truths := truths || part.truth;
    narrowing := narrowing || part.narrowing;
    unions := unions || part.narrowing[1];
  END LOOP;
  conditions := greatest(conditions, 1);
  IF truths = '{}' THEN
    truth := conjunction::text;
  ELSIF conjunction THEN
    truth := '(' || array_to_string(truths, ' AND ') || ')';
  ELSE
    truth := '(' || array_to_string(truths, ' OR ') || ')';
    -- A thousand parts cost the planner some tenths of a second; without it each row would cost a thousand comparisons.
    narrowing := CASE WHEN array_position(unions, NULL) IS NULL THEN ARRAY[array_to_string(unions, ' UNION ALL ')]
                      ELSE '{}' END;
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.compile_node_v1(jsonb, text[], boolean, integer, integer) IS 'Compiles the part of a filter at a path.';
