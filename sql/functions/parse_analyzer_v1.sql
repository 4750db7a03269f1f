-- Takes the name of one analyzer apart: `base[+option...]`, such as `english`, `french+fold`, `multilingual+code`.
--
-- analyzer: base is `simple`, `cjk`, `multilingual` or a Snowball language of pg_catalog, exactly as written there; an option
--           is `fold` or `code`, in any order, each at most once.
-- Returns   one row: base; config, the text search configuration of words; fold (accents are folded), bigrams (CJK runs give
--           bigrams), code (identifiers are kept whole beside their parts).
--           Anything else: RS002, which says what is known and quotes nothing.
CREATE FUNCTION ragspine.parse_analyzer_v1(
  analyzer text, OUT base text, OUT config regconfig, OUT fold boolean, OUT bigrams boolean, OUT code boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  parts CONSTANT text[] := string_to_array(analyzer, '+');
  options CONSTANT text[] := coalesce(parts[2:], '{}');
BEGIN
  base := parts[1];
  bigrams := base IN ('cjk', 'multilingual');
  config := ragspine.text_search_config_v1(CASE WHEN bigrams THEN 'simple' ELSE base END);
  IF NOT options <@ ARRAY['code', 'fold'] OR cardinality(options) > (SELECT count(DISTINCT o.option) FROM unnest(options) AS o(option)) THEN
    RAISE EXCEPTION 'unknown option of an analyzer; known are +code and +fold, each at most once' USING ERRCODE = 'RS002';
  END IF;
  fold := base = 'multilingual' OR 'fold' = ANY (options);
  code := 'code' = ANY (options);
END
$$;

COMMENT ON FUNCTION ragspine.parse_analyzer_v1(text) IS 'The parts of one analyzer''s name.';
