-- A text with every run of Han, kana and hangul replaced by a space: what is left for the 'simple' configuration.
--
-- No search_path is set, so that it is inlined; every name and operator is qualified.
CREATE FUNCTION ragspine.strip_cjk_v1(text text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT pg_catalog.regexp_replace(text, ('[' OPERATOR(pg_catalog.||) ragspine.cjk_class_v1() OPERATOR(pg_catalog.||) ']+'), ' ', 'g')
$$;

COMMENT ON FUNCTION ragspine.strip_cjk_v1(text) IS 'The text without its Han, kana and hangul runs.';
