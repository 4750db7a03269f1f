-- Refuses a search that cannot be carried out as asked: RS006, naming the argument. Any text of at most 65,536 bytes is a
-- query.
--
-- Arguments as in ragspine.search. The rules and words are those of ragspine_pg/contract/search_request.py: Python callers
-- meet them there first.
CREATE FUNCTION ragspine.check_search_v1(query text, k integer, expand text, min_score double precision)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF query IS NULL THEN
    RAISE EXCEPTION 'query is a string, not null' USING ERRCODE = 'RS006';
  END IF;
  IF octet_length(query) > 65536 THEN
    RAISE EXCEPTION 'query has at most 65536 bytes of UTF-8; shorten it' USING ERRCODE = 'RS006';
  END IF;
  IF k IS NULL OR k NOT BETWEEN 1 AND 1000 THEN
    RAISE EXCEPTION 'k is a whole number from 1 to 1000' USING ERRCODE = 'RS006';
  END IF;
  IF expand <> 'parent' THEN
    RAISE EXCEPTION 'expand is null or ''parent''' USING ERRCODE = 'RS006';
  END IF;
  IF min_score IN ('NaN', 'Infinity', '-Infinity') THEN
    RAISE EXCEPTION 'min_score is a finite number' USING ERRCODE = 'RS006';
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.check_search_v1(text, integer, text, double precision)
  IS 'Refuse a search that cannot be carried out as asked.';
