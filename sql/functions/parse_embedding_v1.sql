-- A vector from pgvector's text form, for callers that do not know pgvector's schema.
CREATE FUNCTION ragspine.parse_embedding_v1(embedding text)
RETURNS @vector@.vector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT embedding::@vector@.vector
$$;

COMMENT ON FUNCTION ragspine.parse_embedding_v1(text) IS 'A vector from its text form.';
