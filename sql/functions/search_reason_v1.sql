-- Why a search of versions can find nothing by words, for the reason of a result without hits.
--
-- version_nos: those searched; one that the transaction's grant cannot read is left out.
-- Returns  'no_searchable_term' where analysis leaves nothing of the query in any of them, 'only_exclusions' where it looks
--          for nothing in all of them, 'required_term_missing' where each lacks a word that is demanded; else null.
--
-- SECURITY DEFINER: statistics are kept by class and belong to the owner; a word that stands in hidden texts alone is as
-- missing as one that stands in none.
CREATE FUNCTION ragspine.search_reason_v1(version_nos integer[], query text)
RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
  searched record;
  reason text;
  reasons text[] := '{}';
BEGIN
  FOR searched IN
    SELECT v.version_no, v.analyzer
      FROM ragspine.index_version AS v
     WHERE v.tenant_no = caller.tenant_no AND v.version_no = ANY (version_nos)
       AND ragspine.readable_library_no_v1(v.tenant_no, v.version_no, caller.classes) IS NOT NULL
  LOOP
    SELECT d.unmet INTO reason
      FROM ragspine.read_demands_v1(caller.tenant_no, searched.version_no, caller.classes, query) AS d;
    IF reason IS NULL
       AND NOT EXISTS (SELECT FROM ragspine.parse_query_v1(query) AS p WHERE p.occurs <> 'not' AND p.kind = 'prefix')
       AND NOT EXISTS (SELECT FROM ragspine.analyze_v1(ragspine.query_words_v1(query), searched.analyzer)) THEN
      reason := 'no_searchable_term';
    END IF;
    IF reason IS NULL THEN
      RETURN NULL;
    END IF;
    reasons := reasons || reason;
  END LOOP;
  RETURN CASE WHEN 'required_term_missing' = ANY (reasons) THEN 'required_term_missing'
              WHEN 'only_exclusions' = ANY (reasons) THEN 'only_exclusions'
              ELSE reasons[1] END;
END
$$;

COMMENT ON FUNCTION ragspine.search_reason_v1(integer[], text) IS 'Why a search can find nothing by words.';
