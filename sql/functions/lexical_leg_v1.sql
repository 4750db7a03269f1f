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
-- select_candidates_v1 says which chunks can be among the best, by float32; all of them are scored here again, exactly, and only
-- that score ranks them. Access, filter and what the query demands (read_demands_v1) are asked before the limit, so k is filled
-- while rows qualify.
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
  condition text;
  few bigint[];
  numbers bigint[];
BEGIN
  PERFORM ragspine.check_search_v1(query, k, NULL, min_score);
  IF library IS NULL THEN
    RETURN;  -- a version with nothing to read is like none, whatever the filter
  END IF;
  IF filter IS NOT NULL THEN
    SELECT c.truth, c.documents INTO condition, few
      FROM ragspine.compile_filter_v1(filter, tenant, library, classes) AS c;  -- judges the filter, whatever else matches
  END IF;
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
  numbers := (ragspine.select_candidates_v1(
    tenant, lexical_leg_v1.version_no, library, classes, filter, condition, few, demands, lexemes, weights, terms, k)).chunk_nos;
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
