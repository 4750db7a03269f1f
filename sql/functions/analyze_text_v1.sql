-- What an analyzer makes of a text: its lexemes and how often each occurs, as two arrays of equal size, in no order.
--
-- analyzer: `base[+option...]`, or several with commas between (docs/adr/0014). base:
--   simple         words as they are written, without case
--   english, ...   the Snowball languages of PostgreSQL: stemmed, stop words left out
--   cjk            overlapping bigrams of Han, kana and hangul; anything between them as `simple`
--   multilingual   the same with accents folded, and beside a word of more than four letters its first four: one analysis
--                  for texts of several languages (begin_words_v1)
--           option, in any order:
--   +fold          accents are folded before anything else (fold_accents_v1), and what becomes of an accented stop word is
--                  one too (folded_stop_words_v1): the lexemes depend on nothing that folding takes away
--   +code          beside all that there would be without it: identifiers whole, in lower case and not stemmed
--                  (find_identifiers_v1), and the parts of words in camelCase, which are words as any other
--           A list gives every lexeme of its members, as often as the member that has it most often: for queries. A document
--           is analysed by the one that document_analyzer_v1 names.
-- Unknown analyzer: RS002. No text is ever an error.
--
-- One function for ingest and query, so the two can never differ. Characters that are not seen are dropped
-- (drop_ignorable_v1) and compatibility forms folded (NFKC). ASCII punctuation separates words: PostgreSQL's parser would
-- otherwise take `end.Next` for a host name, `a/b` for a path and `-5` for a signed number (measured in docs/adr/0002). A
-- word of more than 2,046 bytes is no lexeme (tsvector's limit) and is left out. Frequencies are right beyond tsvector's
-- caps (255 positions a lexeme, 16,383 words): see count_lexemes_v1.
CREATE FUNCTION ragspine.analyze_text_v1(text text, analyzer text, OUT lexemes text[], OUT frequencies integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  normal text := CASE WHEN octet_length(text) = char_length(text) THEN text
                      ELSE normalize(ragspine.drop_ignorable_v1(text), NFKC) END;
  parsed record;
  stop_words text;
  words text;
  identifiers text[] := '{}';
BEGIN
  IF analyzer !~ '[+,]' AND analyzer NOT IN ('cjk', 'multilingual') THEN
    -- regexp_replace, since translate takes five times as long here.
    SELECT c.lexemes, c.frequencies
      INTO lexemes, frequencies
      FROM ragspine.count_lexemes_v1(
             regexp_replace(normal, '[!-/:-@[-`{-~]+', ' ', 'g'), ragspine.text_search_config_v1(analyzer)) AS c;
    RETURN;
  ELSIF strpos(analyzer, ',') > 0 THEN
    SELECT coalesce(array_agg(a.lexeme), '{}'), coalesce(array_agg(a.frequency), '{}')
      INTO lexemes, frequencies
      FROM (SELECT a.lexeme, max(a.frequency) AS frequency
              FROM unnest(ragspine.list_analyzers_v1(analyzer)) AS m(member)
             CROSS JOIN LATERAL ragspine.analyze_v1(text, m.member) AS a
             GROUP BY a.lexeme) AS a;
    RETURN;
  END IF;
  parsed := ragspine.parse_analyzer_v1(analyzer);
  IF parsed.fold THEN
    IF octet_length(normal) <> char_length(normal) THEN
      normal := ragspine.fold_accents_v1(normal);
    END IF;
    stop_words := ragspine.folded_stop_words_v1(parsed.base);
  END IF;
  words := CASE WHEN parsed.bigrams THEN ragspine.strip_cjk_v1(normal) ELSE normal END;
  IF parsed.code THEN
    identifiers := ARRAY(SELECT f.identifier FROM ragspine.find_identifiers_v1(ragspine.strip_cjk_v1(words)) AS f);
  END IF;
  words := regexp_replace(words, '[!-/:-@[-`{-~]+', ' ', 'g');
  IF parsed.code THEN
    words := concat_ws(' ', words, (SELECT string_agg(ragspine.split_camel_v1(i.identifier), ' ')
                                      FROM unnest(identifiers) AS i(identifier)));
  END IF;
  IF stop_words IS NOT NULL THEN
    words := regexp_replace(words, stop_words, ' ', 'gi');
  END IF;
  IF parsed.base = 'multilingual' THEN
    words := ragspine.begin_words_v1(words);
  END IF;
  SELECT coalesce(array_agg(a.lexeme), '{}'), coalesce(array_agg(a.frequency), '{}')
    INTO lexemes, frequencies
    FROM (SELECT a.lexeme, sum(a.frequency)::integer AS frequency
            FROM (SELECT u.lexeme, u.frequency
                    FROM ragspine.count_lexemes_v1(words, parsed.config) AS c
                   CROSS JOIN LATERAL unnest(c.lexemes, c.frequencies) AS u(lexeme, frequency)
                  UNION ALL
                  SELECT b.bigram, b.frequency
                    FROM ragspine.count_bigrams_v1(CASE WHEN parsed.bigrams THEN normal ELSE '' END) AS b
                  UNION ALL
                  SELECT i.identifier, i.frequency
                    FROM (SELECT lower(u.identifier) AS identifier, count(*)::integer AS frequency
                            FROM unnest(identifiers) AS u(identifier)
                           GROUP BY lower(u.identifier)) AS i
                   -- A word in camelCase is its own lexeme already where nothing is stemmed.
                   WHERE i.identifier ~ '[^[:alnum:]]'
                      OR NOT EXISTS (SELECT
                                       FROM unnest(to_tsvector(parsed.config, i.identifier)) AS v
                                      WHERE v.lexeme = i.identifier)) AS a
           GROUP BY a.lexeme) AS a;
END
$$;

COMMENT ON FUNCTION ragspine.analyze_text_v1(text, text) IS 'Lexemes of a text and their frequencies under an analyzer.';
