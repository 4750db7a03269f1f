-- The lexemes of a query that occur in what the transaction's grant may read of a version, in code-point order.
--
-- version_no: a published or retired version of a library that the grant can read; any other gives no rows.
-- Returns   lexeme, its frequency in the query, the number of readable chunks that hold it, and
--           idf = ln(1 + (N - df + 0.5) / (df + 0.5)) (Lucene's BM25Similarity), N and df over the readable chunks alone.
-- Where the version has statistics = 'library', both are over all chunks that are not RESTRICTED instead.
--
-- SECURITY DEFINER: statistics are kept by class and belong to the owner; only sums over readable classes leave this
-- function, so a lexeme that occurs only in what the caller may not read does not exist here.
CREATE FUNCTION ragspine.query_terms_v1(version_no integer, query text)
RETURNS TABLE (lexeme text, frequency integer, chunk_count bigint, idf double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
#variable_conflict use_column
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
BEGIN
  IF ragspine.readable_library_no_v1(caller.tenant_no, query_terms_v1.version_no, caller.classes) IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT t.lexeme, t.frequency, t.chunk_count, t.idf
      FROM ragspine.weigh_query_v1(caller.tenant_no, query_terms_v1.version_no, caller.classes, query) AS t
     ORDER BY t.lexeme COLLATE "C";
END
$$;

COMMENT ON FUNCTION ragspine.query_terms_v1(integer, text) IS 'A query''s lexemes with their statistics over readable chunks.';
