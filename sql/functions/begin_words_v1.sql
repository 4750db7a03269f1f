-- A text in which the beginning of a word stands behind it, its first four letters, where it has more: `houses hous`.
--
-- text:    without punctuation, accents folded.
-- Returns  it, for words that begin with four letters of Latin, Greek, Cyrillic or Armenian script; others stay by themselves.
--
-- What the `multilingual` analyzer has instead of stemmers: most languages of these scripts inflect at the end of a word, so
-- that its forms share a beginning, and a form is still found by itself before the others. The beginning is a lexeme as any
-- other, so that `case` finds `caselle`. Measured in docs/adr/0014.
--
-- No search_path is set, so that it is inlined; every name is qualified.
CREATE FUNCTION ragspine.begin_words_v1(text text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT pg_catalog.regexp_replace(
           text, '\m([A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u0370-\u058F\u1E00-\u1FFF]{4})([[:alnum:]]+)', '\1\2 \1', 'g')
$$;

COMMENT ON FUNCTION ragspine.begin_words_v1(text) IS 'A text with the beginnings of its long words behind them.';
