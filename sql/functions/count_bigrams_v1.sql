-- Overlapping bigrams of the Han, kana and hangul runs of a text; a run of one character is itself.
--
-- Returns one row a bigram with its frequency, in no order. Runs end at anything else, so `go部署` gives `部署`, and the
-- Latin word is left to strip_cjk_v1. Characters are code points: supplementary planes count as one.
CREATE FUNCTION ragspine.count_bigrams_v1(text text)
RETURNS TABLE (bigram text, frequency integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT g.bigram, count(*)::integer
    FROM (SELECT c.character || lead(c.character) OVER (PARTITION BY r.run_no ORDER BY c.position) AS pair,
                 c.character, c.position, cardinality(r.characters) AS characters
            FROM (SELECT m.run_no, string_to_array(m.match[1], NULL) AS characters
                    FROM regexp_matches(text, ('[' || ragspine.cjk_class_v1() || ']+'), 'g')
                         WITH ORDINALITY AS m(match, run_no)) AS r
           CROSS JOIN LATERAL unnest(r.characters) WITH ORDINALITY AS c(character, position)) AS p
   CROSS JOIN LATERAL (SELECT coalesce(p.pair, CASE WHEN p.characters = 1 THEN p.character END) AS bigram) AS g
   WHERE g.bigram IS NOT NULL
   GROUP BY g.bigram
$$;

COMMENT ON FUNCTION ragspine.count_bigrams_v1(text) IS 'Overlapping bigrams of the CJK runs of a text.';
