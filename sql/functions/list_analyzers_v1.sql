-- The analyzers that a name stands for: itself, or those of a list, `english,italian+fold,cjk`.
--
-- Returns them as they are named, in their order, without the spaces around members of a list. RS002 where one is unknown
--         (parse_analyzer_v1), and where two have the same base: a document's language could mean either.
CREATE FUNCTION ragspine.list_analyzers_v1(analyzer text)
RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  members CONSTANT text[] := string_to_array(
    CASE WHEN strpos(analyzer, ',') = 0 THEN analyzer ELSE regexp_replace(btrim(analyzer), ' *, *', ',', 'g') END, ',');
  bases CONSTANT text[] := ARRAY(SELECT p.base
                                   FROM unnest(CASE WHEN members = '{}' THEN ARRAY[''] ELSE members END) AS m(member)
                                  CROSS JOIN LATERAL ragspine.parse_analyzer_v1(m.member) AS p);
BEGIN
  IF cardinality(bases) > (SELECT count(DISTINCT b.base) FROM unnest(bases) AS b(base)) THEN
    RAISE EXCEPTION 'a list of analyzers names each base once' USING ERRCODE = 'RS002';
  END IF;
  RETURN members;
END
$$;

COMMENT ON FUNCTION ragspine.list_analyzers_v1(text) IS 'The analyzers of a list, or the one that is named.';
