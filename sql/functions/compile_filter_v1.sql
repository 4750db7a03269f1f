-- Compiles a metadata filter to an SQL expression that is true of the documents that match.
--
-- filter:     the JSON form of MetadataFilter; {} matches everything. RS001, as in Python, if it is malformed.
-- tenant_no, library_no: whose declared fields count. A document of another library must not come near the expression.
-- Returns     an expression over `d`, a row of ragspine.document, and two parameters: $1, the same filter as jsonb, and $2, the
--             classes that may be read, as integer[]. No document of another class matches:
--             EXECUTE format('SELECT ... FROM ragspine.document AS d WHERE ... AND (%s)', compiled) USING filter, classes, ...
--             under search_path = pg_catalog, pg_temp. EXECUTE plans with $1 known, so what depends on $1 alone is folded.
--
-- No byte of the text comes from a caller: it is made of our own words, of paths into $1 (all_of, any_of, none_of, array
-- positions, field, op, value) and of numbers of our catalogue. Fields and values are read out of $1.
-- What decides is an expression on d.metadata. For declared fields the index of their keys narrows beside it, which changes
-- no result. Nothing in it raises on any stored metadata: an error would tell of a row the caller may not read. Nor is it
-- evaluated on such a row, whatever order the planner gives the conditions of a scan: a dear filter's time would tell.
-- The twin in Python is ragspine_pg/contract/truth.py; they agree on every input.
CREATE FUNCTION ragspine.compile_filter_v1(filter jsonb, tenant_no integer, library_no integer)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  compiled record;
BEGIN
  compiled := ragspine.compile_node_v1(filter, '{}', true, tenant_no, library_no);
  -- Each one is a relation to join, and beyond a dozen the planner no longer tries all orders: four, equality first.
  RETURN 'CASE WHEN d.acl_class_no = ANY ($2) THEN ' || compiled.truth || ' END' || coalesce(
    (SELECT string_agg(format(' AND d.document_no IN (%s)', n.narrowing), '')
       FROM (SELECT u.narrowing
               FROM unnest(compiled.narrowing) WITH ORDINALITY AS u (narrowing, position)
              ORDER BY u.narrowing NOT LIKE '%f.key = %', u.position
              LIMIT 4) AS n), '');
END
$$;

COMMENT ON FUNCTION ragspine.compile_filter_v1(jsonb, integer, integer) IS 'Compiles a metadata filter to an SQL expression.';
