-- The public name of list_libraries_v1.
CREATE FUNCTION ragspine.libraries()
RETURNS TABLE (
  library_id text, description text, version integer, analyzer text, fields jsonb, space text, embedding_space jsonb)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT l.library_id, l.description, l.version, l.analyzer, l.fields, l.space, l.embedding_space
    FROM ragspine.list_libraries_v1() AS l
$$;

COMMENT ON FUNCTION ragspine.libraries() IS 'The libraries in which the transaction''s grant can read something.';
