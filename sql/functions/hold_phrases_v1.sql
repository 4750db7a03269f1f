-- The first chunks of a ranking in which phrases stand, and none of those that are barred. Owner only.
--
-- classes:         those that may be read; a chunk of another one is left out.
-- chunk_nos, scores: the ranking, best first.
-- k, margin:       how many are wanted, and the share of a score that may be rounding: what is that near to the k-th counts, too.
-- phrases, barred: texts. A phrase stands in a chunk when its lexemes stand in its document's title, or in its own text, in the
--                  same order and at the same distances (place_lexemes_v1), by the document's analyzer; a phrase of which that one
--                  makes nothing stands everywhere.
-- Returns  those that pass, in order, with their scores; and whether that is all that can be wanted: nothing after the end of
--          the ranking is as good as the k-th.
--
-- The texts are analysed anew, in lots that grow until enough of them pass: positions are not stored.
CREATE FUNCTION ragspine.hold_phrases_v1(
  tenant_no integer, version_no integer, classes integer[], chunk_nos bigint[], scores double precision[], k integer,
  margin double precision, phrases text[], barred text[],
  OUT kept_nos bigint[], OUT kept_scores double precision[], OUT enough boolean)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
DECLARE
  analyzer CONSTANT text := (SELECT v.analyzer
                               FROM ragspine.index_version AS v
                              WHERE v.tenant_no = hold_phrases_v1.tenant_no AND v.version_no = hold_phrases_v1.version_no);
  number CONSTANT integer := coalesce(cardinality(chunk_nos), 0);
  next_ integer := 1;
  lot integer := k + 16;
  members text[];         -- of each lexeme of each phrase under each analyzer of the version
  phrase_nos integer[];   -- those that are barred after the others
  lexemes text[];
  places integer[];
  sizes bigint[];
  passed bigint[];
  values_ double precision[];
BEGIN
  kept_nos := '{}';
  kept_scores := '{}';
  SELECT array_agg(p.member), array_agg(p.n), array_agg(p.lexeme), array_agg(p.place), array_agg(p.size)
    INTO members, phrase_nos, lexemes, places, sizes
    FROM (SELECT m.member, t.n, l.lexeme, o.place, count(*) OVER (PARTITION BY m.member, t.n) AS size
            FROM unnest(ragspine.list_analyzers_v1(analyzer)) AS m(member)
           CROSS JOIN unnest(phrases || barred) WITH ORDINALITY AS t(phrase, n)
           CROSS JOIN LATERAL ragspine.place_lexemes_v1(t.phrase, m.member) AS l
           CROSS JOIN LATERAL unnest(l.places) AS o(place)) AS p;
  WHILE next_ <= number AND (cardinality(kept_nos) < k OR scores[next_] >= kept_scores[k] * (1 - margin)) LOOP
    WITH phrase AS MATERIALIZED (
      SELECT * FROM unnest(members, phrase_nos, lexemes, places, sizes) AS p(member, n, lexeme, place, size)
    )
    SELECT array_agg(r.chunk_no ORDER BY r.position), array_agg(r.score ORDER BY r.position)
      INTO passed, values_
      FROM unnest(chunk_nos[next_ : next_ + lot - 1], scores[next_ : next_ + lot - 1]) WITH ORDINALITY
             AS r(chunk_no, score, position)
     CROSS JOIN LATERAL (SELECT c.document_no, c.text
                           FROM ragspine.chunk AS c
                          WHERE c.tenant_no = hold_phrases_v1.tenant_no AND c.version_no = hold_phrases_v1.version_no
                            AND c.chunk_no = r.chunk_no AND c.acl_class_no = ANY (classes)
                         OFFSET 0) AS c
     CROSS JOIN LATERAL (SELECT d.title, ragspine.document_analyzer_v1(analyzer, d.language) AS member
                           FROM ragspine.document AS d
                          WHERE d.tenant_no = hold_phrases_v1.tenant_no AND d.document_no = c.document_no
                         OFFSET 0) AS d
     CROSS JOIN LATERAL (
            SELECT count(DISTINCT s.n) FILTER (WHERE s.n <= cardinality(phrases)) AS standing,
                   count(*) FILTER (WHERE s.n > cardinality(phrases)) AS forbidden
              FROM (SELECT p.n
                      FROM (SELECT t.part, l.lexeme, l.places, sum(cardinality(l.places)) OVER (PARTITION BY t.part) AS size
                              FROM (VALUES (1, d.title), (2, c.text)) AS t(part, text)
                             CROSS JOIN LATERAL ragspine.place_lexemes_v1(t.text, d.member) AS l) AS l
                      JOIN phrase AS p ON p.member = d.member AND p.lexeme = l.lexeme AND p.size <= l.size
                     CROSS JOIN LATERAL unnest(l.places) AS o(place)
                     GROUP BY p.n, l.part, o.place - p.place
                    HAVING count(*) = min(p.size)) AS s) AS f
     WHERE f.standing = (SELECT count(DISTINCT p.n) FROM phrase AS p WHERE p.member = d.member AND p.n <= cardinality(phrases))
       AND f.forbidden = 0;
    kept_nos := kept_nos || passed;
    kept_scores := kept_scores || values_;
    next_ := next_ + lot;
    lot := 2 * lot;
  END LOOP;
  enough := cardinality(kept_nos) >= k AND (next_ <= number OR scores[number] < kept_scores[k] * (1 - margin));
END
$$;

COMMENT ON FUNCTION ragspine.hold_phrases_v1(
  integer, integer, integer[], bigint[], double precision[], integer, double precision, text[], text[])
  IS 'The first chunks of a ranking in which phrases stand.';
