-- The lexeme numbers of a chunk with their impacts, as they are written in a sparse vector's text.
--
-- Returns one row a lexeme, in rising order; none for a chunk without lexemes. See list_lexemes_v1.
--
-- No SET search_path, so that it is inlined; every name is qualified, and no operator is used.
CREATE FUNCTION ragspine.list_impacts_v1(impacts @vector@.sparsevec)
RETURNS TABLE (lexeme_no integer, impact text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT pg_catalog.split_part(p.pair, ':', 1)::pg_catalog.int4, pg_catalog.split_part(p.pair, ':', 2)
    FROM (SELECT pg_catalog.unnest(pg_catalog.string_to_array(
                   pg_catalog.substr(pg_catalog.split_part(impacts::pg_catalog.text, '}', 1), 2), ',')) AS pair) AS p
$$;

COMMENT ON FUNCTION ragspine.list_impacts_v1(@vector@.sparsevec) IS 'Lexeme numbers and impacts of a chunk.';
