-- The libraries in which the transaction's grant can read a document, as SQL callers see them; the public name is
-- ragspine.libraries.
--
-- Returns by library id: its description, the version that a search goes through and its analyzer, the declared fields (name to
-- type), and for queries by vector the space that their vectors must lie in (provider, model, revision, dimensions, distance,
-- normalised, document_prefix, query_prefix) and its fingerprint, which is query_space; both null for a library without.
-- Raises as a search does: RS003, RS007. Without a grant there are no rows, and a NOTICE says why.
CREATE FUNCTION ragspine.list_libraries_v1()
RETURNS TABLE (
  library_id text, description text, version integer, analyzer text, fields jsonb, space text, embedding_space jsonb)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  granted CONSTANT record := ragspine.granted_v1();
BEGIN
  PERFORM ragspine.require_backstop_v1();
  IF granted.state <> 'valid' THEN
    RAISE NOTICE 'no rows: the grant is %; call ragspine.assume in this transaction first', granted.state;
    RETURN;
  END IF;
  RETURN QUERY
    SELECT l.library_id, d.description, l.version, l.analyzer, l.fields, l.space, l.embedding -> 'space'
      FROM ragspine.readable_libraries_v1(NULL) AS l
      JOIN ragspine.readable_descriptions_v1(NULL, NULL) AS d ON d.library_id = l.library_id
     ORDER BY l.library_id COLLATE "C";
END
$$;

COMMENT ON FUNCTION ragspine.list_libraries_v1() IS 'Readable libraries, and what a query by vector has to know of them.';
