-- Where the lexemes of a text stand in it: each with its places, counted from 1 in words (in bigrams within a run of CJK).
--
-- text, analyzer: as analyze_v1 takes them, but no list. The lexemes are those that it gives of plain words: without identifiers
--                 (+code), and without beginnings (multilingual).
-- Returns one row a lexeme, in no order. Stop words have a place, too, so that what stands around them keeps its distance.
--
-- to_tsvector keeps at most 255 places a lexeme and none past 16,383. Where a text touches a cap, its words are counted one by
-- one, as in count_lexemes_v1.
CREATE FUNCTION ragspine.place_lexemes_v1(text text, analyzer text)
RETURNS TABLE (lexeme text, places integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  parsed CONSTANT record := ragspine.parse_analyzer_v1(analyzer);
  bigrams CONSTANT boolean := parsed.bigrams;
  config CONSTANT regconfig := parsed.config;
  stop_words CONSTANT text := CASE WHEN parsed.fold THEN ragspine.folded_stop_words_v1(parsed.base) END;
  no_word CONSTANT text := '0no0word0';  -- holds the place of a stop word that PostgreSQL does not know of
  folded text := CASE WHEN octet_length(text) = char_length(text) THEN text  -- as analyze_v1
                      ELSE normalize(ragspine.drop_ignorable_v1(text), NFKC) END;
  vector tsvector;
BEGIN
  IF parsed.fold AND octet_length(folded) <> char_length(folded) THEN
    folded := ragspine.fold_accents_v1(folded);
  END IF;
  folded := regexp_replace(folded, '[!-/:-@[-`{-~]+', ' ', 'g');
  IF stop_words IS NOT NULL THEN
    folded := regexp_replace(folded, stop_words, no_word, 'gi');
  END IF;
  IF NOT bigrams AND octet_length(folded) <= 250000 THEN
    vector := to_tsvector(config, folded);
    IF char_length(folded) < 509
       OR NOT EXISTS (SELECT FROM unnest(vector) AS v
                       WHERE cardinality(v.positions) >= 255 OR v.positions[cardinality(v.positions)] >= 16383) THEN
      RETURN QUERY SELECT v.lexeme, v.positions::integer[] FROM unnest(vector) AS v WHERE v.lexeme <> no_word;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY
    WITH piece AS MATERIALIZED (
      SELECT m.n, m.match[1] AS piece, bigrams AND m.match[1] ~ ('^[' || ragspine.cjk_class_v1() || ']') AS run
        FROM regexp_matches(
               folded,
               CASE WHEN bigrams THEN '[' || ragspine.cjk_class_v1() || ']+|[^' || ragspine.cjk_class_v1() || ']+' ELSE '.+' END,
               'g') WITH ORDINALITY AS m(match, n)
    ), token AS MATERIALIZED (
      SELECT t.token, t.run, (row_number() OVER (ORDER BY t.n, t.place))::integer AS place
        FROM (SELECT p.n, c.place, p.run, c.token || lead(c.token, 1, '') OVER (PARTITION BY p.n ORDER BY c.place) AS token,
                     c.place > 1 AND lead(c.token) OVER (PARTITION BY p.n ORDER BY c.place) IS NULL AS over
                FROM piece AS p
               CROSS JOIN LATERAL unnest(string_to_array(p.piece, NULL)) WITH ORDINALITY AS c(token, place)
               WHERE p.run
               UNION ALL
              SELECT p.n, w.place, p.run, w.token, false
                FROM piece AS p
               CROSS JOIN LATERAL ts_parse('default', p.piece) WITH ORDINALITY AS w(kind, token, place)
               WHERE NOT p.run AND w.kind <> 12 AND octet_length(w.token) <= 2046) AS t  -- 12 is what stands between words
       WHERE NOT t.over
    ), word AS MATERIALIZED (
      SELECT t.token, v.lexeme
        FROM (SELECT DISTINCT t.token FROM token AS t WHERE NOT t.run) AS t
       CROSS JOIN LATERAL unnest(to_tsvector(config, t.token)) AS v
       WHERE v.lexeme <> no_word
    )
    SELECT l.lexeme, array_agg(l.place ORDER BY l.place)
      FROM (SELECT t.token AS lexeme, t.place FROM token AS t WHERE t.run
             UNION ALL
            SELECT w.lexeme, t.place FROM token AS t JOIN word AS w ON w.token = t.token WHERE NOT t.run) AS l
     GROUP BY l.lexeme;
END
$$;

COMMENT ON FUNCTION ragspine.place_lexemes_v1(text, text) IS 'Where the lexemes of a text stand in it.';
