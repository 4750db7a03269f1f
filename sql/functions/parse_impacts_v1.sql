-- A chunk's impacts from their written form: `lexeme_no:impact` pairs in rising order of lexeme_no, joined by commas.
--
-- pairs:   e.g. '3:0.5,17:0.25'; NULL or empty for a chunk without lexemes.
-- Returns  the sparse vector over lexeme numbers. A number belongs to index number_no: both count from one.
--
-- No SET search_path, so that it is inlined; every name and operator is qualified.
CREATE FUNCTION ragspine.parse_impacts_v1(pairs text)
RETURNS @vector@.sparsevec
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (('{' OPERATOR(pg_catalog.||) coalesce(pairs, '')) OPERATOR(pg_catalog.||) '}/1000000000')::@vector@.sparsevec
$$;

COMMENT ON FUNCTION ragspine.parse_impacts_v1(text) IS 'Impacts of a chunk from number:impact pairs.';
