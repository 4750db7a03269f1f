-- The terms of a query: the lexemes that score, with their numbers and idf. Owner only.
--
-- classes: those that may be read, as weigh_terms_v1 takes them, whose rows it gives for a query without operators.
-- Returns  one row a lexeme, in no order: what of the query is not excluded (query_words_v1), and the groups of its words with
--          a star. A term weighs frequency * idf.
--
-- A group is several lexemes that stand for one word: all have the idf of the one in most chunks, so that a rare form does not
-- outweigh the usual one (as Lucene's SynonymQuery does). A lexeme that is a word of the query, too, or in several groups,
-- counts in each: its frequency is the number of them, its idf the mean.
-- Of more than 1,024 lexemes the 1,024 of most weight count, ties in code-point order (as in weigh_terms_v1).
CREATE FUNCTION ragspine.weigh_query_v1(tenant_no integer, version_no integer, classes integer[], query text)
RETURNS TABLE (lexeme text, lexeme_no integer, frequency integer, chunk_count bigint, idf double precision)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
#variable_conflict use_column
DECLARE
  words text;
  starred text[];
BEGIN
  SELECT string_agg(p.content, ' ' ORDER BY p.place) FILTER (WHERE p.kind <> 'prefix'),
         array_agg(p.content) FILTER (WHERE p.kind = 'prefix')
    INTO words, starred
    FROM ragspine.parse_query_v1(query) AS p
   WHERE p.occurs <> 'not';
  IF starred IS NULL THEN
    RETURN QUERY SELECT * FROM ragspine.weigh_terms_v1(tenant_no, version_no, classes, coalesce(words, ''));
    RETURN;
  END IF;
  RETURN QUERY
    WITH member AS MATERIALIZED (
      SELECT w.n, f.lexeme, f.lexeme_no, f.chunk_count
        FROM unnest(starred) WITH ORDINALITY AS w(word, n)
       CROSS JOIN LATERAL ragspine.find_prefixed_v1(tenant_no, version_no, classes, w.word, 64) AS f
    ), corpus AS MATERIALIZED (
      SELECT sum(c.chunk_count) AS chunk_count
        FROM ragspine.corpus_stat AS c
        JOIN ragspine.index_version AS v ON v.tenant_no = c.tenant_no AND v.version_no = c.version_no
       WHERE c.tenant_no = weigh_query_v1.tenant_no AND c.version_no = weigh_query_v1.version_no
         AND c.acl_class_no = ANY (CASE v.statistics WHEN 'library' THEN ARRAY[0] ELSE classes END)
    ), grouped AS (
      SELECT m.lexeme, m.lexeme_no, 1 AS frequency, m.chunk_count, max(m.chunk_count) OVER (PARTITION BY m.n) AS most
        FROM member AS m
    ), term AS (
      SELECT g.lexeme, g.lexeme_no, g.frequency, g.chunk_count,
             ln(1 + (c.chunk_count - g.most + 0.5)::double precision / (g.most + 0.5)::double precision) AS idf
        FROM grouped AS g
       CROSS JOIN corpus AS c
       UNION ALL
      SELECT *
        FROM ragspine.weigh_terms_v1(
               tenant_no, version_no, classes,
               concat_ws(' ', words, (SELECT string_agg(w.word, ' ' ORDER BY w.n)
                                        FROM unnest(starred) WITH ORDINALITY AS w(word, n)
                                       WHERE w.n NOT IN (SELECT m.n FROM member AS m))))
    )
    SELECT t.lexeme, t.lexeme_no, sum(t.frequency)::integer, min(t.chunk_count),
           CASE WHEN count(*) = 1 THEN min(t.idf)
                ELSE sum(t.frequency * t.idf ORDER BY t.frequency * t.idf) / sum(t.frequency) END
      FROM term AS t
     GROUP BY t.lexeme, t.lexeme_no
     ORDER BY sum(t.frequency * t.idf ORDER BY t.frequency * t.idf) DESC, t.lexeme COLLATE "C"
     LIMIT 1024;
END
$$;

COMMENT ON FUNCTION ragspine.weigh_query_v1(integer, integer, integer[], text) IS 'The terms of a query with numbers and idf over classes.';
