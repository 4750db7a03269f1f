-- A chunk's id: the first 32 hex digits of SHA-256 over the UTF-8 of the JSON array
-- [document_id, chunker fingerprint, slice, occurrence], without spaces.
--
-- occurrence: the number of the slice among the identical slices of its document, from 0.
-- The same bytes as Python's json.dumps(..., ensure_ascii=False, separators=(",", ":")).
CREATE FUNCTION ragspine.chunk_id_v1(document_id text, chunker text, slice text, occurrence integer)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT left(encode(sha256(convert_to(
           '[' || to_json(document_id)::text || ',' || to_json(chunker)::text || ',' || to_json(slice)::text || ','
               || occurrence || ']', 'UTF8')), 'hex'), 32)
$$;

COMMENT ON FUNCTION ragspine.chunk_id_v1(text, text, text, integer) IS 'Id of a chunk, as the ingest path computes it.';
