-- The content of a cursor that write_cursor_v1 or its twin wrote for the same request; RS006 for any other text.
--
-- Only what a cursor is written as is read: another spelling of the same content (a key more, 1e0 for 1, a blank, padding) is
-- none. So both twins read the same texts, whatever their readers of JSON and base64 would let pass.
--
-- after:   the cursor; null gives null.
-- Returns  {"request": ..., "shown": ..., "versions": ...}.
CREATE FUNCTION ragspine.read_cursor_v1(after text, request jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  content jsonb;
  sound boolean := false;
BEGIN
  IF after IS NULL THEN
    RETURN NULL;
  END IF;
  BEGIN
    IF length(after) <= 1000000 THEN
      content := convert_from(
        decode(rpad(translate(after, '-_', '+/'), (length(after) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb;
      sound := jsonb_typeof(content -> 'request') = 'string' AND jsonb_typeof(content -> 'shown') = 'object'
               AND jsonb_typeof(content -> 'versions') = 'object' AND content - ARRAY['request', 'shown', 'versions'] = '{}';
    END IF;
    IF sound THEN
      -- The types first: what a number of a million digits takes to be written out is not spent.
      sound := NOT EXISTS (
                 SELECT FROM jsonb_each(content -> 'versions') AS v(library, version)
                  WHERE CASE WHEN jsonb_typeof(v.version) <> 'number' THEN true
                             WHEN v.version::numeric NOT BETWEEN 1 AND 2147483647 THEN true
                             ELSE v.version::numeric % 1 <> 0 END)
               AND NOT EXISTS (
                 SELECT FROM jsonb_each(content -> 'shown') AS s(library, chunks)
                  WHERE CASE WHEN jsonb_typeof(s.chunks) <> 'array' THEN true
                             ELSE EXISTS (SELECT FROM jsonb_array_elements(s.chunks) AS c(chunk)
                                           WHERE jsonb_typeof(c.chunk) <> 'string') END);
    END IF;
    IF sound THEN
      sound := after = translate(encode(convert_to(ragspine.canonical_json_v1(content), 'UTF8'), 'base64'), E'+/=\n', '-_');
    END IF;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    sound := false;
  END;
  IF sound IS NOT TRUE THEN
    RAISE EXCEPTION 'after is not a cursor' USING ERRCODE = 'RS006';
  END IF;
  IF content ->> 'request' <>
     left(encode(sha256(convert_to(ragspine.canonical_json_v1(request), 'UTF8')), 'hex'), 16) THEN
    RAISE EXCEPTION 'the cursor is of another search: only k, filter and expand may change from page to page' USING ERRCODE = 'RS006';
  END IF;
  RETURN content;
END
$$;

COMMENT ON FUNCTION ragspine.read_cursor_v1(text, jsonb) IS 'The content of a cursor of the same request.';
