-- The content of a cursor that write_cursor_v1 or its twin wrote for the same request; RS006 for any other text.
--
-- after:   the cursor; null gives null.
-- Returns  {"shown": ..., "versions": ...} and the request's hash.
CREATE FUNCTION ragspine.read_cursor_v1(after text, request jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  content jsonb;
BEGIN
  IF after IS NULL THEN
    RETURN NULL;
  END IF;
  IF length(after) > 1000000 THEN
    RAISE EXCEPTION 'after is not a cursor' USING ERRCODE = 'RS006';
  END IF;
  BEGIN
    content := convert_from(
      decode(rpad(translate(after, '-_', '+/'), (length(after) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RAISE EXCEPTION 'after is not a cursor' USING ERRCODE = 'RS006';
  END;
  IF jsonb_typeof(content -> 'shown') IS DISTINCT FROM 'object' OR jsonb_typeof(content -> 'versions') IS DISTINCT FROM 'object'
     OR EXISTS (SELECT FROM jsonb_each(content -> 'versions') AS v(library, version)
                 WHERE v.version::text !~ '^[1-9][0-9]{0,9}$' OR length(v.version::text) > 9 AND v.version::text > '2147483647')
     OR EXISTS (SELECT FROM jsonb_each(content -> 'shown') AS s(library, chunks)
                 WHERE jsonb_typeof(s.chunks) <> 'array'
                    OR EXISTS (SELECT FROM jsonb_path_query(s.chunks, '$[*]') AS c(chunk)
                                WHERE jsonb_typeof(c.chunk) <> 'string')) THEN
    RAISE EXCEPTION 'after is not a cursor' USING ERRCODE = 'RS006';
  END IF;
  IF content ->> 'request' IS DISTINCT FROM
     left(encode(sha256(convert_to(ragspine.canonical_json_v1(request), 'UTF8')), 'hex'), 16) THEN
    RAISE EXCEPTION 'the cursor is of another search: only k, filter and expand may change from page to page' USING ERRCODE = 'RS006';
  END IF;
  RETURN content;
END
$$;

COMMENT ON FUNCTION ragspine.read_cursor_v1(text, jsonb) IS 'The content of a cursor of the same request.';
