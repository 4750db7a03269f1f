-- What the terms of a query add to the lexical scores of chunks, one by one.
--
-- version_no: as lexical_leg_v1 takes it. query: words and operators; the demands play no part.
-- chunk_ids:  chunks of the version; one that the transaction's grant cannot read gives no rows, like one that is not there.
-- Returns     chunk id, lexeme, its frequency in the query, idf, the chunk's impact, and frequency * idf * impact, by chunk id
--             and lexeme in code-point order. Added up in that order, in float64, they are the score of lexical_leg_v1 to the
--             last bit.
--
-- SECURITY DEFINER: postings and statistics belong to the owner; what leaves is of readable chunks, by statistics over those.
CREATE FUNCTION ragspine.explain_scores_v1(version_no integer, query text, chunk_ids text[])
RETURNS TABLE (
  chunk_id text, lexeme text, frequency integer, idf double precision, impact double precision, contribution double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
#variable_conflict use_column
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
BEGIN
  PERFORM ragspine.check_search_v1(query, 1, NULL, NULL);
  IF ragspine.readable_library_no_v1(caller.tenant_no, explain_scores_v1.version_no, caller.classes) IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH term AS MATERIALIZED (
      SELECT t.lexeme, t.frequency, t.idf, ('{' || t.lexeme_no || ':1}/1000000000')::@vector@.sparsevec AS unit
        FROM ragspine.weigh_query_v1(caller.tenant_no, explain_scores_v1.version_no, caller.classes, query) AS t
    )
    SELECT c.chunk_id, t.lexeme, t.frequency, t.idf, i.impact, t.frequency * t.idf * i.impact
      FROM (SELECT DISTINCT n.chunk_id FROM unnest(chunk_ids) AS n(chunk_id)) AS n
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.chunk AS c
                          WHERE c.tenant_no = caller.tenant_no AND c.version_no = explain_scores_v1.version_no
                            AND c.chunk_id = n.chunk_id COLLATE "C" AND c.acl_class_no = ANY (caller.classes)
                         OFFSET 0) AS c
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.chunk_lexical AS x
                          WHERE x.tenant_no = c.tenant_no AND x.version_no = c.version_no
                            AND x.acl_class_no = c.acl_class_no AND x.chunk_no = c.chunk_no
                         OFFSET 0) AS x
     CROSS JOIN term AS t
     CROSS JOIN LATERAL (SELECT -(x.impacts OPERATOR(@vector@.<#>) t.unit) AS impact) AS i
     WHERE i.impact > 0
     ORDER BY c.chunk_id COLLATE "C", t.lexeme COLLATE "C";
END
$$;

COMMENT ON FUNCTION ragspine.explain_scores_v1(integer, text, text[]) IS 'What a query''s terms add to the scores of chunks.';
