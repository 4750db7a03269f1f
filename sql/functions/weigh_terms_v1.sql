-- The lexemes of a query that occur in the given classes of a version, with their numbers and idf. Owner only.
-- In a version with statistics of the library: that occur in what is not RESTRICTED, whatever the classes.
--
-- A look-up takes the first lexeme not before the word, and statistics are probed whether it is the word or not: the same
-- work for a word that stands in hidden texts alone and for one that does not exist, so that counters tell them not apart.
-- PostgreSQL 16 finds the statistics of a word in all classes and then looks at each, hidden ones included; so there they are
-- looked up class by class, up to a thousand. From 17 on the classes are part of the look-up.
-- It is a look-up a word, too: a join reads the whole dictionary (13 ms against 0.4 for 20,000 chunks).
--
-- Returns one row a lexeme, in no order; see query_terms_v1, its door for readers. Of a query with more than 1,024 such
--         lexemes the 1,024 of most weight count, ties in code-point order (a sparsevec holds at most 16,000).
CREATE FUNCTION ragspine.weigh_terms_v1(tenant_no integer, version_no integer, classes integer[], query text)
RETURNS TABLE (lexeme text, lexeme_no integer, frequency integer, chunk_count bigint, idf double precision)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
#variable_conflict use_column
DECLARE
  analyzer text;
  by_class boolean;
BEGIN
  SELECT v.analyzer, CASE v.statistics WHEN 'library' THEN ARRAY[0] ELSE classes END  -- see counted_class_v1
    INTO analyzer, classes
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = weigh_terms_v1.tenant_no AND v.version_no = weigh_terms_v1.version_no;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  by_class := current_setting('server_version_num')::integer < 170000 AND cardinality(classes) <= 1000;
  RETURN QUERY
  WITH term AS MATERIALIZED (
    SELECT a.lexeme, n.lexeme_no, a.frequency,
           CASE WHEN by_class
             THEN (SELECT sum(s.chunk_count)
                     FROM unnest(classes) AS k(class)
                    CROSS JOIN LATERAL (SELECT s.chunk_count
                                          FROM ragspine.lexeme_stat AS s
                                         WHERE s.tenant_no = weigh_terms_v1.tenant_no
                                           AND s.version_no = weigh_terms_v1.version_no
                                           AND s.lexeme_no = n.lexeme_no AND s.acl_class_no = k.class
                                        OFFSET 0) AS s)
             ELSE (SELECT sum(s.chunk_count)
                     FROM ragspine.lexeme_stat AS s
                    WHERE s.tenant_no = weigh_terms_v1.tenant_no AND s.version_no = weigh_terms_v1.version_no
                      AND s.lexeme_no = n.lexeme_no AND s.acl_class_no = ANY (classes))
             END AS chunk_count
      FROM ragspine.analyze_v1(query, analyzer) AS a
      LEFT JOIN LATERAL (SELECT l.lexeme, l.lexeme_no
                           FROM ragspine.lexeme AS l
                          WHERE l.tenant_no = weigh_terms_v1.tenant_no AND l.version_no = weigh_terms_v1.version_no
                            AND l.lexeme >= a.lexeme COLLATE "C"
                          ORDER BY l.lexeme
                          LIMIT 1) AS l ON true
     CROSS JOIN LATERAL (SELECT CASE WHEN l.lexeme = a.lexeme COLLATE "C" THEN l.lexeme_no ELSE 0 END AS lexeme_no) AS n
  ), corpus AS MATERIALIZED (
    SELECT sum(c.chunk_count) AS chunk_count
      FROM ragspine.corpus_stat AS c
     WHERE c.tenant_no = weigh_terms_v1.tenant_no AND c.version_no = weigh_terms_v1.version_no
       AND c.acl_class_no = ANY (classes)
  )
  SELECT t.lexeme, t.lexeme_no, t.frequency, t.chunk_count, w.idf
    FROM term AS t
   CROSS JOIN corpus AS c
   CROSS JOIN LATERAL (
     SELECT ln(1 + (c.chunk_count - t.chunk_count + 0.5)::double precision / (t.chunk_count + 0.5)::double precision) AS idf
   ) AS w
   WHERE t.chunk_count > 0
   ORDER BY t.frequency * w.idf DESC, t.lexeme COLLATE "C"
   LIMIT 1024;
END
$$;

COMMENT ON FUNCTION ragspine.weigh_terms_v1(integer, integer, integer[], text) IS 'A query''s lexemes with numbers and idf over classes.';
