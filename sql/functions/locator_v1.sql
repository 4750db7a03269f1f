-- A locator in its written form: an RFC 5147 text fragment with the SHA-256 of the slice; null for no span.
CREATE FUNCTION ragspine.locator_v1(span_start integer, span_end integer, slice_sha256 text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT 'char=' || span_start || ',' || span_end || ';sha256=' || slice_sha256
$$;

COMMENT ON FUNCTION ragspine.locator_v1(integer, integer, text) IS 'The written form of a locator.';
