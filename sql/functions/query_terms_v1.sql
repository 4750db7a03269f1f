-- The lexemes of a query that occur in what the transaction's grant may read of a version, in code-point order.
--
-- version_no: a published or retired version of a library that the grant can read; any other gives no rows.
-- Returns   lexeme, its frequency in the query, the number of readable chunks that hold it, and
--           idf = ln(1 + (N - df + 0.5) / (df + 0.5)) (Lucene's BM25Similarity), N and df over the readable chunks alone.
--
-- SECURITY DEFINER: statistics are kept by class and belong to the owner; only sums over readable classes leave this
-- function, so a lexeme that occurs only in what the caller may not read does not exist here.
CREATE FUNCTION ragspine.query_terms_v1(version_no integer, query text)
RETURNS TABLE (lexeme text, frequency integer, chunk_count bigint, idf double precision)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
  SELECT t.lexeme, t.frequency, t.chunk_count, t.idf
    FROM ragspine.caller_v1() AS caller
    JOIN ragspine.index_version AS v ON v.tenant_no = caller.tenant_no
   CROSS JOIN LATERAL ragspine.weigh_terms_v1(v.tenant_no, v.version_no, caller.classes, query) AS t
   WHERE v.version_no = query_terms_v1.version_no AND v.state IN ('published', 'retired')
     AND v.library_no = ANY ((SELECT ragspine.readable_library_nos_v1())::integer[])
   ORDER BY t.lexeme COLLATE "C"
$$;

COMMENT ON FUNCTION ragspine.query_terms_v1(integer, text) IS 'A query''s lexemes with their statistics over readable chunks.';
