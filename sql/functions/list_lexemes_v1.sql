-- The lexeme numbers of a chunk, from its impacts.
--
-- Returns one row a lexeme, in rising order; none for a chunk without lexemes. pgvector has no way to take a sparse vector
-- apart but its text, `{3:0.5,17:0.25}/1000000000`.
--
-- No SET search_path, so that it is inlined; every name is qualified, and no operator is used.
CREATE FUNCTION ragspine.list_lexemes_v1(impacts @vector@.sparsevec)
RETURNS TABLE (lexeme_no integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT pg_catalog.split_part(
           pg_catalog.unnest(pg_catalog.string_to_array(
             pg_catalog.substr(pg_catalog.split_part(impacts::pg_catalog.text, '}', 1), 2), ',')),
           ':', 1)::pg_catalog.int4
$$;

COMMENT ON FUNCTION ragspine.list_lexemes_v1(@vector@.sparsevec) IS 'Lexeme numbers of a chunk, from its impacts.';
