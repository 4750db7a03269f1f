-- The libraries in which the transaction's grant can read a document, with what a router chooses by, by library id.
--
-- libraries: ids to choose among, null for all; unknown ones are left out, like those with nothing to read.
-- query:     what is asked, or null when nobody chooses by words.
-- Returns    description, its lexemes under the analyzer of the published version, and those of the query's words
--            (query_words_v1) under the same; both in code-point order.
--
-- SECURITY DEFINER: libraries and versions are no reader's business; only those with something to read leave this function.
CREATE FUNCTION ragspine.readable_descriptions_v1(libraries text[], query text)
RETURNS TABLE (library_id text, description text, lexemes text[], query_lexemes text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
  tenant CONSTANT integer := caller.tenant_no;
  classes CONSTANT integer[] := caller.classes;
  wanted CONSTANT text[] := coalesce(libraries, ARRAY(
    SELECT l.library_id FROM ragspine.library AS l WHERE l.tenant_no = tenant));
BEGIN
  RETURN QUERY
    SELECT l.library_id, l.description,
           ARRAY(SELECT a.lexeme FROM ragspine.analyze_v1(l.description, v.analyzer) AS a ORDER BY a.lexeme COLLATE "C"),
           ARRAY(SELECT a.lexeme
                   FROM ragspine.analyze_v1(ragspine.query_words_v1(query), v.analyzer) AS a
                  ORDER BY a.lexeme COLLATE "C")
      FROM ragspine.library AS l
      JOIN ragspine.index_version AS v
        ON v.tenant_no = l.tenant_no AND v.library_no = l.library_no AND v.state = 'published'
     WHERE l.tenant_no = tenant
       AND l.library_id = ANY (wanted)
       AND ragspine.reads_library_v1(l.tenant_no, l.library_no, classes)
     ORDER BY l.library_id COLLATE "C";
END
$$;

COMMENT ON FUNCTION ragspine.readable_descriptions_v1(text[], text) IS 'Readable libraries with the words a router chooses by.';
