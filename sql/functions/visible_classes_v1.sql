-- The classes the transaction's grant may read, sorted; empty without a valid grant or without a principal. For row-level
-- security, which calls it once a statement.
CREATE FUNCTION ragspine.visible_classes_v1()
RETURNS integer[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT c.classes FROM ragspine.caller_v1() AS c
$$;

COMMENT ON FUNCTION ragspine.visible_classes_v1() IS 'Classes that the transaction''s grant may read.';
