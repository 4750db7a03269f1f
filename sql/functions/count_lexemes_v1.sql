-- Lexemes of a text under a text search configuration, with frequencies that are right beyond tsvector's caps.
--
-- text:   free of ASCII punctuation (see analyze_v1), so that no token spans white space.
-- Returns one row a lexeme, in no order.
--
-- to_tsvector keeps at most 255 positions a lexeme and none past 16,383, and refuses more than 1 MB of lexemes. Where a
-- text touches a cap, its distinct tokens are analysed one by one and multiplied by their number: the same lexemes, exactly.
CREATE FUNCTION ragspine.count_lexemes_v1(text text, config regconfig)
RETURNS TABLE (lexeme text, frequency integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  vector tsvector;
BEGIN
  IF octet_length(text) <= 250000 THEN
    vector := to_tsvector(config, text);
    -- 255 tokens need 509 characters; only longer texts can touch a cap.
    IF char_length(text) < 509
       OR NOT EXISTS (SELECT FROM unnest(vector) AS v
                       WHERE cardinality(v.positions) >= 255 OR v.positions[cardinality(v.positions)] >= 16383) THEN
      RETURN QUERY SELECT v.lexeme, cardinality(v.positions) FROM unnest(vector) AS v;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY
    SELECT v.lexeme, sum(cardinality(v.positions) * t.number)::integer
      FROM (SELECT p.token, count(*) AS number
              FROM ts_parse('default', text) AS p
             WHERE octet_length(p.token) <= 2046
             GROUP BY p.token) AS t
     CROSS JOIN LATERAL unnest(to_tsvector(config, t.token)) AS v
     GROUP BY v.lexeme;
END
$$;

COMMENT ON FUNCTION ragspine.count_lexemes_v1(text, regconfig) IS 'Lexemes and exact frequencies under a configuration.';
