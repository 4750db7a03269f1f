-- Under which class a version counts the words of a chunk: the chunk's own; where the version keeps statistics of the whole
-- library 0, which is no class, and none for a text that nobody reads.
--
-- statistics: the version's, 'class' or 'library'.
-- Returns  null for what is not counted.
--
-- No SET search_path, which would keep it from being inlined; so the operators are named with their schema.
CREATE FUNCTION ragspine.counted_class_v1(statistics text, acl_class_no integer, sensitivity text)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE WHEN statistics OPERATOR(pg_catalog.=) 'class' THEN acl_class_no
              WHEN sensitivity OPERATOR(pg_catalog.<>) 'RESTRICTED' THEN 0 END
$$;

COMMENT ON FUNCTION ragspine.counted_class_v1(text, integer, text) IS 'Under which class a version counts the words of a chunk.';
