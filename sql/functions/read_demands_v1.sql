-- What a query demands of a chunk, in one version: predicates, which say nothing about scores. Owner only.
--
-- classes: those that may be read. A lexeme that stands in none of their chunks does not exist here.
-- Returns one row:
--   required  of each vector, one of its lexemes has to occur in the chunk (1 at each of them).
--   excluded  none of these lexemes may.
--   phrases   texts whose words have to stand next to each other in the chunk, and barred: must not. See hold_phrases_v1.
--   unmet     why nothing can be found: 'required_term_missing' for a demanded word that does not occur, 'only_exclusions'
--             for a query that looks for nothing; else null.
--   made      whether there is any demand, and worded: one that only the text can answer.
--
-- A quoted phrase demands nothing where one of its words occurs nowhere: the others are searched, as whoever quotes a word in a
-- question expects. With a sign before it, it demands that word as well.
-- A word that analysis takes apart (pg_dump, a run of Han) is a phrase. What holds nothing that is searched (stop words
-- alone) is no demand. Of a phrase the 16 rarest lexemes are required as such: that is what a scan is narrowed by.
-- Under a list of analyzers a word is each of the lexemes that they make of it, and a phrase what the document's makes of it.
-- All lexemes are excluded that -prefix* stands for; +prefix* takes any of the 64 that it scores by.
CREATE FUNCTION ragspine.read_demands_v1(
  tenant_no integer, version_no integer, classes integer[], query text,
  OUT required @vector@.sparsevec[], OUT excluded @vector@.sparsevec[], OUT phrases text[], OUT barred text[],
  OUT unmet text, OUT made boolean, OUT worded boolean)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  clause record;
  analyzer text;
  demand record;
  found integer[];
BEGIN
  required := '{}';
  excluded := '{}';
  phrases := '{}';
  barred := '{}';
  made := false;
  FOR clause IN
    SELECT p.occurs, p.kind, p.content
      FROM ragspine.parse_query_v1(query) AS p
     WHERE p.occurs <> 'may' OR p.kind = 'phrase'
     ORDER BY p.place
  LOOP
    IF analyzer IS NULL THEN
      SELECT v.analyzer INTO analyzer
        FROM ragspine.index_version AS v
       WHERE v.tenant_no = read_demands_v1.tenant_no AND v.version_no = read_demands_v1.version_no;
    END IF;
    -- longest: words under any analyzer. silent: whether one makes nothing of the clause. possible: whether the lexemes of one
    -- all occur. vectors: of each, the n-th rarest lexeme under every analyzer that is possible, which one of them has to have.
    WITH member AS MATERIALIZED (
      SELECT d.member, d.lexemes, d.length FROM ragspine.demanded_lexemes_v1(clause.content, analyzer) AS d
    ), term AS MATERIALIZED (
      SELECT t.lexeme, t.lexeme_no, t.chunk_count, count(*) OVER () AS total
        FROM ragspine.weigh_terms_v1(tenant_no, version_no, classes, clause.content) AS t
    ), counted AS MATERIALIZED (
      SELECT m.member, t.lexeme_no, row_number() OVER (PARTITION BY m.member ORDER BY t.chunk_count, t.lexeme_no) AS n,
             count(*) OVER (PARTITION BY m.member) AS number, cardinality(m.lexemes) AS wanted, t.total
        FROM member AS m
        JOIN term AS t ON t.lexeme = ANY (m.lexemes)
    ), met AS MATERIALIZED (  -- where a query has more lexemes than weigh_terms_v1 gives, the rarest stand for all
      SELECT c.member, c.lexeme_no, c.n, c.number FROM counted AS c WHERE c.number = c.wanted OR c.total = 1024
    )
    SELECT (SELECT max(m.length) FROM member AS m) AS longest,
           EXISTS (SELECT FROM member AS m WHERE m.length = 0) AS silent,
           EXISTS (SELECT FROM met) AS possible,
           ARRAY(SELECT ('{' || string_agg(DISTINCT t.lexeme_no || ':1', ',') || '}/1000000000')::@vector@.sparsevec
                   FROM met AS t
                  WHERE t.n <= least(16, (SELECT min(s.number) FROM met AS s))
                  GROUP BY t.n
                  ORDER BY t.n) AS vectors
      INTO demand;
    IF clause.kind = 'prefix' AND demand.longest <= 1 THEN
      made := true;
      found := ARRAY(
        SELECT f.lexeme_no
          FROM ragspine.find_prefixed_v1(
                 tenant_no, version_no, classes, clause.content, CASE clause.occurs WHEN 'must' THEN 64 END) AS f);
      IF clause.occurs = 'not' THEN
        excluded := excluded || ARRAY(  -- a sparsevec holds at most 16,000
          SELECT ('{' || string_agg(f.lexeme_no || ':1', ',') || '}/1000000000')::@vector@.sparsevec
            FROM unnest(found) WITH ORDINALITY AS f(lexeme_no, n)
           GROUP BY f.n / 10000);
      ELSIF found = '{}' THEN
        unmet := 'required_term_missing';
      ELSE
        required := required || ('{' || array_to_string(found, ':1,') || ':1}/1000000000')::@vector@.sparsevec;
      END IF;
    ELSIF demand.longest > 0 AND (demand.possible OR demand.silent OR clause.occurs <> 'may') THEN
      made := true;
      IF clause.occurs <> 'not' THEN
        IF demand.silent THEN  -- documents of that analyzer meet it as they are
          phrases := phrases || clause.content;
        ELSIF NOT demand.possible THEN
          unmet := 'required_term_missing';
        ELSE
          required := required || demand.vectors;
          IF demand.longest > 1 THEN
            phrases := phrases || clause.content;
          END IF;
        END IF;
      ELSIF demand.possible AND demand.longest > 1 THEN
        barred := barred || clause.content;
      ELSIF demand.possible THEN
        excluded := excluded || demand.vectors;
      END IF;
    END IF;
  END LOOP;
  IF made AND unmet IS NULL
     AND NOT EXISTS (SELECT FROM ragspine.parse_query_v1(query) AS p WHERE p.occurs <> 'not' AND p.kind = 'prefix')
     AND NOT EXISTS (SELECT FROM ragspine.analyze_v1(ragspine.query_words_v1(query), analyzer)) THEN
    unmet := 'only_exclusions';
  END IF;
  worded := phrases <> '{}' OR barred <> '{}';
END
$$;

COMMENT ON FUNCTION ragspine.read_demands_v1(integer, integer, integer[], text) IS 'What a query demands of a chunk.';
