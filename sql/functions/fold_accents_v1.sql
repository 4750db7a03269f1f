-- A text without accents: `café` becomes `cafe`, `Straße` `Strasse`, `Łódź` `Lodz`.
--
-- text:    normalised (NFKC or NFC), as analyze_v1 has it.
-- Returns  it with the marks above, through and below letters left out (the blocks U+0300, U+1AB0, U+1DC0 and U+FE20, and
--          Cyrillic's U+0483), in NFC, and with letters that no mark was taken from written plainly (ø, æ, œ, đ, ð, ħ, ı, ł,
--          ŋ, ŧ, þ, ß, ς, ...). Folding what is folded changes nothing.
--
-- Those blocks hold the marks of Latin, Greek and Cyrillic letters. What other scripts write above or below a letter is
-- another letter there and stays: vowel signs of India, dakuten of kana, points of Arabic and Hebrew, tones of Thai.
-- So does the breve of Cyrillic й and ў: letters of their own, on which Russian endings and the stemmer of Russian rest.
-- ё becomes е, as that stemmer has it too. German ä becomes a, not ae.
--
-- The test at the front is for a text whose only characters beyond ASCII are dashes and quotes.
--
-- No search_path is set, so that it is inlined; every name and operator is qualified.
CREATE FUNCTION ragspine.fold_accents_v1(text text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE WHEN text OPERATOR(pg_catalog.~) '[\u00C0-\u1FFF\u2C60-\u2DFF\uA640-\uA7FF\uAB30-\uAB6F\uFE20-\uFE2F]'
              THEN pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(
                   pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(
                     pg_catalog.translate(
                       pg_catalog.normalize(
                         pg_catalog.regexp_replace(
                           pg_catalog.normalize(text, 'NFD'),
                           '[\u0300-\u0305\u0307-\u036F\u0483-\u0487\u1AB0-\u1AFF\u1DC0-\u1DFF\uFE20-\uFE2F]|(?<![ИиУу])\u0306',
                           '', 'g'),
                         'NFC'),
                       'ØøĐđÐðĦħıŁłŊŋŦŧƀƗɨƵƶς', 'OoDdDdHhiLlNnTtbIiZzσ'),
                     'ß', 'ss'), 'ẞ', 'SS'), 'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th')
              ELSE text
         END
$$;

COMMENT ON FUNCTION ragspine.fold_accents_v1(text) IS 'The text without accents of Latin, Greek and Cyrillic letters.';
