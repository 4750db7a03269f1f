-- The documents among which a condition's matches lie, as a SELECT on the index of declared fields; null if it has none.
--
-- path, wanted, kind: as in compile_condition_v1; declared: the field's declared type. Only a condition of that very type
-- has keys in the index. The SELECT may find too many (keys are cut, and hold a list's elements too), never too few: the
-- condition's own expression stands beside it. Keys are compared with =, <= and >= by code point, which are leakproof, so
-- they are index conditions under row-level security too. tenant_no and field_no are literals, numbers of our own. Only keys of
-- the classes in parameter $2 are looked at, so that no counter tells which values stand in hidden documents; nor does the
-- choice of a plan: values are read in sub-selects, so the planner does not know them, and guesses the same for each.
-- PostgreSQL 16 would rather look at the keys of all classes than at each class for itself: there it is not asked.
CREATE FUNCTION ragspine.compile_narrowing_v1(
  condition jsonb, wanted boolean, path text[], kind text, declared text, tenant_no integer, field_no integer)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  reading CONSTANT text := format('(SELECT ragspine.field_key_v1($1 #> %%L, %L))', declared);
  low CONSTANT text := format(reading,
    path || CASE condition ->> 'op' WHEN 'between' THEN ARRAY['value', '0'] ELSE ARRAY['value'] END);
  high CONSTANT text := format(reading, path || ARRAY['value', '1']);
  every CONSTANT text := format('(SELECT ragspine.field_keys_v1($1 #> %L, %L))::text[]', path || ARRAY['value'], declared);
  -- Where the keys of the type begin and end. That adds nothing to what is found, but much to the planner's guess of how
  -- many: the statistics of the column mix the keys of all fields.
  first CONSTANT text := CASE declared WHEN 'number' THEN '''n''' WHEN 'timestamp' THEN '''0''' END;
  last CONSTANT text := CASE declared WHEN 'number' THEN '''q''' WHEN 'timestamp' THEN ''':''' END;
  narrows text;
BEGIN
  IF kind IS DISTINCT FROM declared OR kind IS NULL OR field_no IS NULL THEN
    RETURN NULL;
  END IF;
  narrows := CASE condition ->> 'op' || ' ' || wanted
    WHEN 'eq true' THEN 'f.key = ' || low
    WHEN 'ne false' THEN 'f.key = ' || low
    WHEN 'contains true' THEN 'f.key = ' || low
    WHEN 'in true' THEN format('f.key = ANY (%s)', every)
    WHEN 'nin false' THEN format('f.key = ANY (%s)', every)
    WHEN 'contains_any true' THEN format('f.key = ANY (%s)', every)
    WHEN 'contains_all true' THEN format('f.key = (%s)[1]', every)
    WHEN 'gt true' THEN concat_ws(' AND ', 'f.key >= ' || low, 'f.key <= ' || last)
    WHEN 'gte true' THEN concat_ws(' AND ', 'f.key >= ' || low, 'f.key <= ' || last)
    WHEN 'lt false' THEN concat_ws(' AND ', 'f.key >= ' || low, 'f.key <= ' || last)
    WHEN 'lte false' THEN concat_ws(' AND ', 'f.key >= ' || low, 'f.key <= ' || last)
    WHEN 'lt true' THEN concat_ws(' AND ', 'f.key <= ' || low, 'f.key >= ' || first)
    WHEN 'lte true' THEN concat_ws(' AND ', 'f.key <= ' || low, 'f.key >= ' || first)
    WHEN 'gt false' THEN concat_ws(' AND ', 'f.key <= ' || low, 'f.key >= ' || first)
    WHEN 'gte false' THEN concat_ws(' AND ', 'f.key <= ' || low, 'f.key >= ' || first)
    WHEN 'between true' THEN format('f.key BETWEEN %s AND %s', low, high)
    -- No key with that beginning sorts after it, filled up with the last character there is.
    WHEN 'prefix true' THEN format('f.key BETWEEN %s AND rpad(%s, 256, chr(1114111))', low, low)
  END;
  -- Null where the operator narrows nothing: null joined to anything is null.
  RETURN CASE WHEN current_setting('server_version_num')::integer < 170000
    THEN format('SELECT f.document_no FROM unnest($2) AS k (class) CROSS JOIN LATERAL (SELECT f.document_no '
                'FROM ragspine.document_field AS f WHERE f.tenant_no = %s AND f.field_no = %s AND f.acl_class_no = k.class AND ',
                tenant_no, field_no) || narrows || ' OFFSET 0) AS f'
    ELSE format('SELECT f.document_no FROM ragspine.document_field AS f '
                'WHERE f.tenant_no = %s AND f.field_no = %s AND f.acl_class_no = ANY ($2) AND ', tenant_no, field_no) || narrows
    END;
END
$$;

COMMENT ON FUNCTION ragspine.compile_narrowing_v1(jsonb, boolean, text[], text, text, integer, integer)
  IS 'The documents among which a condition''s matches lie, by the index of declared fields.';
