-- The public name of verify_locator_v1: whether a citation is what the stored document says.
CREATE FUNCTION ragspine.verify_locator(library_id text, document_id text, locator text)
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ragspine.verify_locator_v1(library_id, document_id, locator)
$$;

COMMENT ON FUNCTION ragspine.verify_locator(text, text, text) IS 'Whether a citation is what the stored document says.';
