-- The inside of a regular expression's bracket for the scripts that are written without spaces: Han, kana, bopomofo, hangul.
--
-- Applied after NFKC, which has made half-width kana and full-width Latin ordinary. The katakana middle dot U+30FB is
-- punctuation and left out; the long vowel mark U+30FC and the iteration marks are letters.
--
-- No search_path is set, so that it is inlined and folded to a constant; its only operator is qualified.
CREATE FUNCTION ragspine.cjk_class_v1()
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT '\u1100-\u11FF\u2E80-\u2FDF\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303C\u3041-\u3096\u3099-\u309F\u30A1-\u30FA'
      OPERATOR(pg_catalog.||) '\u30FC-\u30FF\u3105-\u312F\u3131-\u318E\u31A0-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF'
      OPERATOR(pg_catalog.||) '\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\U0001AFF0-\U0001B16F\U00020000-\U0003FFFF'
$$;

COMMENT ON FUNCTION ragspine.cjk_class_v1() IS 'Character ranges of scripts written without spaces, for a bracket.';
