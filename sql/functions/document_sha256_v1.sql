-- A document's content hash, lower-case hex: SHA-256 over the UTF-8 of the JSON array [title, text].
--
-- The same bytes as Python's json.dumps([title, text], ensure_ascii=False): both escape the quote, the backslash and the
-- control characters below U+0020, the short way where there is one, and nothing else.
CREATE FUNCTION ragspine.document_sha256_v1(title text, text text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT encode(sha256(convert_to('[' || to_json(title)::text || ', ' || to_json(text)::text || ']', 'UTF8')), 'hex')
$$;

COMMENT ON FUNCTION ragspine.document_sha256_v1(text, text) IS 'Content hash of a document, as the ingest path computes it.';
