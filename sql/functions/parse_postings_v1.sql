-- A segment's postings of a lexeme from their written form: `position:impact` pairs in rising order, joined by commas.
--
-- No SET search_path, so that it is inlined; every name and operator is qualified.
CREATE FUNCTION ragspine.parse_postings_v1(pairs text)
RETURNS @vector@.sparsevec
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (('{' OPERATOR(pg_catalog.||) pairs) OPERATOR(pg_catalog.||) '}/4000')::@vector@.sparsevec
$$;

COMMENT ON FUNCTION ragspine.parse_postings_v1(text) IS 'Postings of a segment from position:impact pairs.';
