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
-- A word that analysis takes apart (pg_dump, a run of Han) is a phrase. What holds nothing that is searched (stop words
-- alone) is no demand. Of a phrase the 16 rarest lexemes are required as such: that is what a scan is narrowed by.
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
  length bigint;
  lexemes bigint;
  found integer[];
BEGIN
  required := '{}';
  excluded := '{}';
  phrases := '{}';
  barred := '{}';
  made := false;
  FOR clause IN SELECT p.occurs, p.kind, p.content FROM ragspine.parse_query_v1(query) AS p WHERE p.occurs <> 'may' ORDER BY p.place LOOP
    IF analyzer IS NULL THEN
      SELECT v.analyzer INTO analyzer
        FROM ragspine.index_version AS v
       WHERE v.tenant_no = read_demands_v1.tenant_no AND v.version_no = read_demands_v1.version_no;
    END IF;
    SELECT count(*), coalesce(sum(a.frequency), 0) INTO lexemes, length FROM ragspine.analyze_v1(clause.content, analyzer) AS a;
    IF clause.kind = 'prefix' AND length <= 1 THEN
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
    ELSIF length > 0 THEN
      made := true;
      found := ARRAY(
        SELECT t.lexeme_no
          FROM ragspine.weigh_terms_v1(tenant_no, version_no, classes, clause.content) AS t
         ORDER BY t.chunk_count, t.lexeme_no);
      IF clause.occurs = 'must' AND cardinality(found) < least(lexemes, 1024) THEN
        unmet := 'required_term_missing';
      ELSIF clause.occurs = 'must' THEN
        required := required || ARRAY(
          SELECT ('{' || f.lexeme_no || ':1}/1000000000')::@vector@.sparsevec FROM unnest(found[:16]) AS f(lexeme_no));
        IF length > 1 THEN
          phrases := phrases || clause.content;
        END IF;
      ELSIF cardinality(found) = least(lexemes, 1024) AND length > 1 THEN
        barred := barred || clause.content;
      ELSIF cardinality(found) = 1 AND length = 1 THEN
        excluded := excluded || ('{' || found[1] || ':1}/1000000000')::@vector@.sparsevec;
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
