-- What an analyzer makes of a text: its lexemes and how often each occurs, in no order.
--
-- analyzer: 'simple', a Snowball language of PostgreSQL ('english', 'italian', ...), or 'cjk' (overlapping bigrams of Han,
--           kana and hangul; anything between them as 'simple').
-- Returns   one row a lexeme. Unknown analyzer: RS002. No text is ever an error.
--
-- One function for ingest and query, so the two can never differ. Characters that are not seen are dropped
-- (drop_ignorable_v1) and compatibility forms folded (NFKC). ASCII punctuation separates words: PostgreSQL's parser would
-- otherwise take `end.Next` for a host name, `a/b` for a path and `-5` for a signed number (measured in docs/adr/0002). A
-- word of more than 2,046 bytes is no lexeme (tsvector's limit) and is left out. Frequencies are right beyond tsvector's
-- caps (255 positions a lexeme, 16,383 words): see count_lexemes_v1.
CREATE FUNCTION ragspine.analyze_v1(text text, analyzer text)
RETURNS TABLE (lexeme text, frequency integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  -- regexp_replace, since translate takes five times as long here.
  folded CONSTANT text := regexp_replace(
    CASE WHEN octet_length(text) = char_length(text) THEN text
         ELSE normalize(ragspine.drop_ignorable_v1(text), NFKC) END,
    '[!-/:-@[-`{-~]+', ' ', 'g');
BEGIN
  IF analyzer = 'cjk' THEN
    RETURN QUERY
      SELECT a.lexeme, sum(a.frequency)::integer
        FROM (SELECT c.lexeme, c.frequency
                FROM ragspine.count_lexemes_v1(ragspine.strip_cjk_v1(folded), 'simple') AS c
              UNION ALL
              SELECT b.bigram, b.frequency
                FROM ragspine.count_bigrams_v1(folded) AS b) AS a
       GROUP BY a.lexeme;
  ELSE
    RETURN QUERY
      SELECT c.lexeme, c.frequency
        FROM ragspine.count_lexemes_v1(folded, ragspine.text_search_config_v1(analyzer)) AS c;
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.analyze_v1(text, text) IS 'Lexemes of a text and their frequencies under an analyzer.';
