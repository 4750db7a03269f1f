-- The lexical leg: the k best chunks of a version for a query by exact BM25, among what the transaction's grant may read.
--
-- version_no: a published or retired version of a library that the grant can read; any other gives no rows.
-- query:      words and operators, see parse_query_v1.
-- filter:     a metadata filter in its JSON form, or null.
-- min_score:  the least score to return, or null.
-- Returns     chunk number and id, rank from 1 and score; ties by chunk id in code-point order.
--
-- score = sum over the query's lexemes, in code-point order, of frequency in the query * idf * impact, in float64, where
-- impact = tf / (tf + k1 * (1 - b + b * length / pivot)) was stored as float32 at ingest (Robertson and Zaragoza 2009, in
-- Lucene's form without the constant factor k1 + 1).
--
-- One scan of the readable, filtered rows orders them by the float32 inner product, which selects but does not decide: all
-- rows within its rounding error of the k-th best are scored again exactly, and only that score ranks them. Access and
-- filter stand in the same statement as the limit, so k is filled while rows qualify. Without a filter the scan leaves out
-- what is sealed in postings, which search_postings_v1 looks through for whatever can be as good as the k-th of the scan; but
-- not for a long query, whose many postings take as long as a scan.
-- What the query demands (read_demands_v1) stands beside access and filter, in a scan of all that may be read. Phrases are
-- looked for in the texts of what the scan gives, best first, until k hold them.
-- OFFSET 0 keeps the order of the look-ups by key, whatever the planner knows of sizes.
-- SECURITY DEFINER: postings and statistics belong to the owner. The tenant and the classes come from the verified grant,
-- never from an argument; what leaves is numbers and scores of readable chunks.
CREATE FUNCTION ragspine.lexical_leg_v1(
  version_no integer, query text, k integer, filter jsonb DEFAULT NULL, min_score double precision DEFAULT NULL)
RETURNS TABLE (chunk_no bigint, chunk_id text, rank integer, score double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
SET extra_float_digits = 1  -- floats pass through text: keep all their digits, whatever the session says
AS $$
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
  tenant CONSTANT integer := caller.tenant_no;
  classes CONSTANT integer[] := caller.classes;
  library CONSTANT integer := ragspine.readable_library_no_v1(tenant, version_no, classes);
  lexemes integer[];
  weights double precision[];
  units @vector@.sparsevec[];
  terms @vector@.sparsevec;
  demands record;
  held record;
  margin double precision;
  bar double precision;
  depth integer;
  passing bigint[];
  few bigint;
  scanned integer[];
  sealed integer[] := '{}';
  scan text;
  numbers bigint[];
  sums double precision[];
BEGIN
  PERFORM ragspine.check_search_v1(query, k, NULL, min_score);
  IF library IS NULL THEN
    RETURN;  -- a version with nothing to read is like none, whatever the filter
  END IF;
  passing := ragspine.matching_documents_v1(filter, tenant, library, classes);  -- judges the filter, whatever else matches
  demands := ragspine.read_demands_v1(tenant, lexical_leg_v1.version_no, classes, query);
  IF demands.unmet IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT array_agg(t.lexeme_no ORDER BY t.lexeme COLLATE "C"),
         array_agg(t.frequency * t.idf ORDER BY t.lexeme COLLATE "C"),
         array_agg(('{' || t.lexeme_no || ':1}/1000000000')::@vector@.sparsevec ORDER BY t.lexeme COLLATE "C"),
         ('{' || string_agg(t.lexeme_no || ':' || (t.frequency * t.idf)::real, ',' ORDER BY t.lexeme_no) || '}/1000000000')
           ::@vector@.sparsevec
    INTO lexemes, weights, units, terms
    FROM ragspine.weigh_query_v1(tenant, lexical_leg_v1.version_no, classes, query) AS t;
  IF weights IS NULL THEN
    RETURN;
  END IF;
  IF passing IS NOT NULL THEN
    -- A look-up takes as long as scanning twenty rows. Counted among what may be read, as far as that decides.
    SELECT sum(s.chunk_count) / 20 INTO few
      FROM ragspine.corpus_stat AS s
     WHERE s.tenant_no = tenant AND s.version_no = lexical_leg_v1.version_no AND s.acl_class_no = ANY (classes);
    SELECT CASE WHEN count(*) < few THEN 'few' ELSE 'many' END INTO scan
      FROM (SELECT
              FROM ragspine.chunk AS c
             WHERE c.tenant_no = tenant AND c.version_no = lexical_leg_v1.version_no AND c.document_no = ANY (passing)
             LIMIT few) AS c;
  ELSIF cardinality(weights) <= 100 AND NOT demands.made THEN
    -- Those with a long tail, that nobody has sealed for a while, are scanned as one: looking the tail up takes longer.
    sealed := ARRAY(
      SELECT s.acl_class_no
        FROM (SELECT DISTINCT s.acl_class_no
                FROM ragspine.posting_segment AS s
               WHERE s.tenant_no = tenant AND s.version_no = lexical_leg_v1.version_no
                 AND s.acl_class_no = ANY (classes)) AS s
       WHERE NOT EXISTS (SELECT
                           FROM ragspine.lexical_tail AS t
                          WHERE t.tenant_no = tenant AND t.version_no = lexical_leg_v1.version_no
                            AND t.acl_class_no = s.acl_class_no
                         OFFSET 2000));
    IF sealed <> '{}' THEN
      scan := 'unsealed';
      scanned := ARRAY(SELECT unnest(classes) EXCEPT SELECT unnest(sealed));
    END IF;
  END IF;
  scan := ragspine.lexical_scan_v1(scan, cardinality(demands.required), cardinality(demands.excluded));
  -- Each product, each addition and each rounded weight errs by at most 2^-24 of a positive sum; twice that, on both sides.
  margin := (cardinality(weights) + 3) * 2.4e-7;
  depth := CASE WHEN demands.worded THEN greatest(k + 16, 1000) ELSE k + 16 END;
  LOOP
    EXECUTE scan INTO numbers, sums
      USING tenant, lexical_leg_v1.version_no, classes, terms, depth, passing, scanned, sealed,
            demands.required, demands.excluded;
    IF demands.worded THEN
      held := ragspine.hold_phrases_v1(
        tenant, lexical_leg_v1.version_no, classes, numbers, sums, k, margin, demands.phrases, demands.barred);
      EXIT WHEN held.enough OR coalesce(cardinality(numbers), 0) < depth;
      depth := depth * 4;
      CONTINUE;
    END IF;
    EXIT WHEN coalesce(cardinality(numbers), 0) < depth OR sums[depth] < sums[k] * (1 - margin);
    depth := depth * 4;
  END LOOP;
  IF demands.worded THEN
    numbers := held.kept_nos;
    sums := held.kept_scores;
  END IF;
  bar := coalesce(sums[k], 0) * (1 - margin);
  numbers := ARRAY(SELECT n.chunk_no FROM unnest(numbers, sums) AS n(chunk_no, approximate) WHERE n.approximate >= bar);
  IF sealed <> '{}' THEN
    numbers := numbers || (
      SELECT s.chunk_nos
        FROM ragspine.search_postings_v1(tenant, lexical_leg_v1.version_no, sealed, lexemes, weights, terms, k, bar) AS s);
  END IF;
  RETURN QUERY
    SELECT s.chunk_no, s.chunk_id, (row_number() OVER (ORDER BY s.score DESC, s.chunk_id COLLATE "C"))::integer, s.score
      FROM (SELECT c.chunk_no, c.chunk_id,
                   (SELECT sum(u.weight * -(x.impacts OPERATOR(@vector@.<#>) u.unit) ORDER BY u.position)
                      FROM unnest(weights, units) WITH ORDINALITY AS u(weight, unit, position)) AS score
              FROM (SELECT DISTINCT n.chunk_no FROM unnest(numbers) AS n(chunk_no)) AS n
             CROSS JOIN LATERAL (SELECT *
                                   FROM ragspine.chunk AS c
                                  WHERE c.tenant_no = tenant AND c.version_no = lexical_leg_v1.version_no
                                    AND c.chunk_no = n.chunk_no AND c.acl_class_no = ANY (classes)
                                 OFFSET 0) AS c
             CROSS JOIN LATERAL (SELECT *
                                   FROM ragspine.chunk_lexical AS x
                                  WHERE x.tenant_no = c.tenant_no AND x.version_no = c.version_no
                                    AND x.acl_class_no = c.acl_class_no AND x.chunk_no = c.chunk_no
                                 OFFSET 0) AS x) AS s
     WHERE min_score IS NULL OR s.score >= min_score
     ORDER BY 3
     LIMIT k;
END
$$;

COMMENT ON FUNCTION ragspine.lexical_leg_v1(integer, text, integer, jsonb, double precision)
  IS 'The k best readable chunks of a version for a query by exact BM25.';
