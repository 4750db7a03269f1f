-- The chunks of a version that can be among the k best for a query by exact BM25, however they are found. Owner only.
--
-- classes:          those that may be read; nothing of another one is looked at.
-- filter, condition: a metadata filter and the truth that compile_filter_v1 made of it, or null.
-- few:              null, or the few documents among which the matches lie, by the index of declared fields.
-- demands:          what read_demands_v1 says.
-- lexemes, weights: of the query, parallel; weight = frequency in the query * idf. terms: the same as a sparse vector.
-- Returns  chunk numbers in no order: all of the k best, and the strategy that found them:
--          'scan'      every readable chunk was looked at: always right, and soonest where there are few;
--          'look-up'   the chunks of some documents were looked up by their keys;
--          'postings'  of classes that are sealed, postings were added up; the others and the tail were scanned.
--
-- A filter and the phrases that are demanded are asked about candidates alone, best first: where one document in p matches,
-- about p * k are looked up. Only where that becomes as dear as to ask a filter about every document, that is done, and the
-- matches are looked up or scanned: at most twice as long as the better of the two, whatever the filter. All of it depends on
-- counts of readable rows alone.
-- An inner product in float32 orders rows; it selects but does not decide. Given back is what lies within its rounding error
-- of the k-th best: the leg scores that again, exactly.
-- OFFSET 0 keeps the order of the look-ups by key, whatever the planner knows of sizes.
CREATE FUNCTION ragspine.select_candidates_v1(
  tenant_no integer, version_no integer, library_no integer, classes integer[], filter jsonb, condition text, few bigint[],
  demands record, lexemes integer[], weights double precision[], terms @vector@.sparsevec, k integer,
  OUT chunk_nos bigint[], OUT strategy text)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
DECLARE
  -- Each product, each addition and each rounded weight errs by at most 2^-24 of a positive sum; twice that, on both sides.
  margin CONSTANT double precision := (cardinality(weights) + 3) * 2.4e-7;
  sealed integer[] := '{}';   -- classes searched by their postings
  scanned integer[];          -- the others; or those of the chunks that are looked up
  readable bigint;            -- chunks
  passing bigint[];           -- documents among which the matches lie
  asked boolean := false;     -- whether these match, all of them
  chunks bigint[];            -- of these documents
  depth integer;
  full_ boolean;
  last_ double precision;
  numbers bigint[];
  documents bigint[];
  sums double precision[];
  bar double precision;
  found record;
BEGIN
  IF cardinality(weights) <= 100 AND few IS NULL THEN
    -- Many words' postings take as long as a scan. So do classes with a long tail, that nobody has sealed for a while.
    sealed := ARRAY(
      SELECT s.acl_class_no
        FROM (SELECT DISTINCT s.acl_class_no
                FROM ragspine.posting_segment AS s
               WHERE s.tenant_no = select_candidates_v1.tenant_no AND s.version_no = select_candidates_v1.version_no
                 AND s.acl_class_no = ANY (classes)) AS s
       WHERE NOT EXISTS (SELECT
                           FROM ragspine.lexical_tail AS t
                          WHERE t.tenant_no = select_candidates_v1.tenant_no AND t.version_no = select_candidates_v1.version_no
                            AND t.acl_class_no = s.acl_class_no
                         OFFSET 2000));
  END IF;
  IF condition IS NOT NULL OR demands.made THEN
    SELECT sum(s.chunk_count),
           CASE WHEN 10 * sum(s.chunk_count) FILTER (WHERE s.acl_class_no = ANY (sealed)) >= 9 * sum(s.chunk_count)
             THEN sealed ELSE '{}' END
      INTO readable, sealed
      FROM ragspine.corpus_stat AS s
     WHERE s.tenant_no = select_candidates_v1.tenant_no AND s.version_no = select_candidates_v1.version_no
       AND s.acl_class_no = ANY (classes);
  END IF;
  LOOP
    numbers := '{}';
    sums := '{}';
    depth := CASE WHEN demands.worded THEN greatest(k + 16, 1000) ELSE k + 16 END;
    IF sealed <> '{}' THEN
      strategy := 'postings';
      scanned := ARRAY(SELECT unnest(classes) EXCEPT SELECT unnest(sealed));
      IF scanned = '{}' AND NOT EXISTS (SELECT
                                          FROM ragspine.lexical_tail AS t
                                         WHERE t.tenant_no = select_candidates_v1.tenant_no
                                           AND t.version_no = select_candidates_v1.version_no
                                           AND t.acl_class_no = ANY (sealed)) THEN
        depth := 0;  -- there is nothing to scan
      END IF;
    ELSIF condition IS NOT NULL THEN
      passing := few;
      IF few IS NULL THEN
        passing := ragspine.matching_documents_v1(filter, tenant_no, library_no, classes);
        asked := true;
      END IF;
      -- A look-up takes as long as scanning twenty rows.
      SELECT coalesce(array_agg(c.chunk_no), '{}'), coalesce(array_agg(c.acl_class_no), '{}')
        INTO chunks, scanned
        FROM (SELECT c.chunk_no, c.acl_class_no
                FROM unnest(passing) AS d(document_no)
               CROSS JOIN LATERAL (SELECT c.chunk_no, c.acl_class_no
                                     FROM ragspine.chunk AS c
                                    WHERE c.tenant_no = select_candidates_v1.tenant_no
                                      AND c.version_no = select_candidates_v1.version_no AND c.document_no = d.document_no
                                   OFFSET 0) AS c
               LIMIT readable / 20) AS c;
      strategy := CASE WHEN cardinality(chunks) < readable / 20 THEN 'look-up' ELSE 'scan' END;
    ELSE
      strategy := 'scan';
    END IF;
    WHILE depth > 0 LOOP
      EXECUTE ragspine.lexical_scan_v1(
          strategy, passing IS NOT NULL, cardinality(demands.required), cardinality(demands.excluded))
        INTO numbers, documents, sums
        USING tenant_no, version_no, classes, terms, depth, CASE strategy WHEN 'look-up' THEN chunks ELSE passing END, scanned,
              sealed, demands.required, demands.excluded;
      full_ := cardinality(numbers) = depth;
      last_ := sums[depth];
      IF condition IS NOT NULL AND NOT asked AND numbers <> '{}' THEN
        SELECT array_agg(n.chunk_no ORDER BY n.sum DESC), array_agg(n.sum ORDER BY n.sum DESC)
          INTO numbers, sums
          FROM unnest(ragspine.admit_documents_v1(filter, condition, tenant_no, classes, documents)) AS d(document_no)
          JOIN unnest(numbers, documents, sums) AS n(chunk_no, document_no, sum) USING (document_no);
      END IF;
      IF demands.worded THEN
        SELECT h.kept_nos, h.kept_scores INTO numbers, sums
          FROM ragspine.hold_phrases_v1(
                 tenant_no, version_no, classes, numbers, sums, k, margin, demands.phrases, demands.barred) AS h;
      END IF;
      EXIT WHEN full_ IS NOT TRUE OR last_ < sums[k] * (1 - margin);
      depth := depth * 4;
    END LOOP;
    bar := coalesce(sums[k], 0) * (1 - margin);
    chunk_nos := ARRAY(SELECT n.chunk_no FROM unnest(numbers, sums) AS n(chunk_no, sum) WHERE n.sum >= bar);
    EXIT WHEN sealed = '{}';
    found := ragspine.search_postings_v1(
      tenant_no, version_no, sealed, lexemes, weights, terms, k, bar, filter, condition, demands,
      (1000 + readable / 30)::integer);
    chunk_nos := chunk_nos || found.chunk_nos;
    EXIT WHEN NOT found.gave_up;
    sealed := '{}';
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.select_candidates_v1(
  integer, integer, integer, integer[], jsonb, text, bigint[], record, integer[], double precision[], @vector@.sparsevec, integer)
  IS 'The chunks that can be among the k best by exact BM25.';
