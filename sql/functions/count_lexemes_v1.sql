-- Lexemes of a text under a text search configuration, with frequencies that are right beyond tsvector's caps.
--
-- text:   free of ASCII punctuation (see analyze_v1), so that no token spans white space.
-- Returns two arrays of equal size, in no order.
--
-- to_tsvector keeps at most 255 positions a lexeme and none past 16,383, and refuses more than 1 MB of lexemes. Where a
-- text touches a cap, its distinct tokens are analysed one by one and multiplied by their number: the same lexemes, exactly.
-- Arrays, not rows: ingest wants them so, and rows would be written down twice on the way.
CREATE FUNCTION ragspine.count_lexemes_v1(text text, config regconfig, OUT lexemes text[], OUT frequencies integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  capped boolean := true;
BEGIN
  IF octet_length(text) <= 250000 THEN
    SELECT coalesce(array_agg(v.lexeme), '{}'), coalesce(array_agg(cardinality(v.positions)), '{}'),
           coalesce(bool_or(cardinality(v.positions) >= 255 OR v.positions[cardinality(v.positions)] >= 16383), false)
      INTO lexemes, frequencies, capped
      FROM unnest(to_tsvector(config, text)) AS v;
  END IF;
  IF capped THEN
    SELECT coalesce(array_agg(l.lexeme), '{}'), coalesce(array_agg(l.frequency), '{}')
      INTO lexemes, frequencies
      FROM (SELECT v.lexeme, sum(cardinality(v.positions) * t.number)::integer AS frequency
              FROM (SELECT p.token, count(*) AS number
                      FROM ts_parse('default', text) AS p
                     WHERE octet_length(p.token) <= 2046
                     GROUP BY p.token) AS t
             CROSS JOIN LATERAL unnest(to_tsvector(config, t.token)) AS v
             GROUP BY v.lexeme) AS l;
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.count_lexemes_v1(text, regconfig) IS 'Lexemes and exact frequencies under a configuration.';
