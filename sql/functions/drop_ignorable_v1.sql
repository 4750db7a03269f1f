-- A text without the characters that are not seen (ignorable_class_v1), so that a word is found however it was typeset.
--
-- Two of them part words where a script is written so, and become a space there:
--   U+200C  after an Arabic letter: Persian sets suffixes off with it, which others type with a space, and the word itself
--           is what is searched for. Elsewhere (Indic scripts, German ligatures) it changes the look of a word alone.
--   U+200B  after a letter of a script without spaces (line breaking class SA: Thai, Lao, Myanmar, Khmer, Tai, Ahom), where
--           it is the space between words. Elsewhere it is a place to break a line.
--
-- The test at the front is for the usual text, which has none: it takes a third of what the replacements take.
--
-- No search_path is set, so that it is inlined; every name and operator is qualified.
CREATE FUNCTION ragspine.drop_ignorable_v1(text text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE WHEN text OPERATOR(pg_catalog.~)
                   (('[' OPERATOR(pg_catalog.||) ragspine.ignorable_class_v1()) OPERATOR(pg_catalog.||) ']')
              THEN pg_catalog.regexp_replace(
                     pg_catalog.regexp_replace(
                       text,
                       '(?<=[\u0600-\u06FF\u0750-\u077F\u0870-\u08FF\uFB50-\uFDFF\uFE70-\uFEFC])\u200C'
                       OPERATOR(pg_catalog.||) '|(?<=[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u1950-\u19FF\u1A20-\u1AAF'
                       OPERATOR(pg_catalog.||) '\uA9E0-\uA9FF\uAA60-\uAADF\U00011700-\U0001174F])\u200B',
                       ' ', 'g'),
                     ('[' OPERATOR(pg_catalog.||) ragspine.ignorable_class_v1()) OPERATOR(pg_catalog.||) ']+', '', 'g')
              ELSE text
         END
$$;

COMMENT ON FUNCTION ragspine.drop_ignorable_v1(text) IS 'The text without characters that are not seen.';
