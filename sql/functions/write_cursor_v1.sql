-- A cursor: what a search has shown, for the search that goes on from there. The twin is ragspine_pg/contract/cursor.py.
--
-- request:  what was asked, as one object; another request does not go on from this cursor.
-- versions: library id to version.
-- shown:    library id to the list of chunk ids shown so far, in the order they were shown.
-- Returns   base64url, without padding, of the canonical JSON {"request": <first 16 hex digits of the sha256 of its canonical
--           JSON>, "shown": ..., "versions": ...}. It is no secret and proves nothing: rights are judged again.
CREATE FUNCTION ragspine.write_cursor_v1(request jsonb, versions jsonb, shown jsonb)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT translate(encode(convert_to(ragspine.canonical_json_v1(jsonb_build_object(
           'request', left(encode(sha256(convert_to(ragspine.canonical_json_v1(request), 'UTF8')), 'hex'), 16),
           'shown', shown,
           'versions', versions)), 'UTF8'), 'base64'), E'+/=\n', '-_')
$$;

COMMENT ON FUNCTION ragspine.write_cursor_v1(jsonb, jsonb, jsonb) IS 'What a search has shown, for the search that goes on.';
