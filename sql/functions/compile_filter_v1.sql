-- Compiles a metadata filter to an SQL expression that is true of the documents that match.
--
-- filter:     the JSON form of MetadataFilter; {} matches everything. RS001, as in Python, if it is malformed.
-- tenant_no, library_no: whose declared fields count. A document of another library must not come near the expression.
-- classes:    those that may be read. No document of another class matches.
-- condition:  an expression over `d`, a row of ragspine.document, and two parameters: $1, the same filter as jsonb, and $2, the
--             same classes as integer[]:
--             EXECUTE format('SELECT ... FROM ragspine.document AS d WHERE ... AND (%s)', compiled) USING filter, classes, ...
--             under search_path = pg_catalog, pg_temp. EXECUTE plans with $1 known, so what depends on $1 alone is folded.
-- truth:      the same without the numbers of documents that the index of declared fields has given.
-- documents:  those numbers: the matches lie among them. Null where it leaves more than a few.
--
-- No byte of the text comes from a caller: it is made of our own words, of paths into $1 (all_of, any_of, none_of, array
-- positions, field, op, value) and of numbers of our catalogue. Fields and values are read out of $1.
-- What decides is an expression on d.metadata. Nothing in it raises on any stored metadata: an error would tell of a row the
-- caller may not read. Nor is it evaluated on such a row, whatever order the planner gives the conditions of a scan: the time
-- that a dear filter takes would tell.
-- For declared fields the index of their keys is asked first; where it leaves few documents, their numbers stand beside the
-- expression, which changes no result. Whether they are few is counted, among what may be read: the planner would go by
-- statistics of all rows, and its choice tell of hidden values, as well as be worse.
-- The twin in Python is ragspine_pg/contract/truth.py; they agree on every input.
CREATE FUNCTION ragspine.compile_filter_v1(
  filter jsonb, tenant_no integer, library_no integer, classes integer[], OUT condition text,
  OUT truth text, OUT documents bigint[])
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  few CONSTANT integer := 2000;  -- more are found sooner by looking at every document
  compiled record;
  narrowing text;
  numbers bigint[];
BEGIN
  compiled := ragspine.compile_node_v1(filter, '{}', true, tenant_no, library_no);
  truth := 'CASE WHEN d.acl_class_no = ANY ($2) THEN ' || compiled.truth || ' END';
  condition := truth;
  -- Each one costs a look-up of its own: four at most, equality first.
  FOR narrowing IN
    SELECT u.narrowing
      FROM unnest(compiled.narrowing) WITH ORDINALITY AS u (narrowing, position)
     ORDER BY u.narrowing NOT LIKE '%f.key = %', u.position
     LIMIT 4
  LOOP
    EXECUTE format('SELECT array_agg(n.document_no) FROM (%s LIMIT %s) AS n', narrowing, few + 1)
      INTO numbers USING filter, classes;
    CONTINUE WHEN cardinality(numbers) > few;
    documents := coalesce(numbers, '{}');
    condition := format('%s AND d.document_no = ANY (%L::bigint[])', truth, documents);
    RETURN;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.compile_filter_v1(jsonb, integer, integer, integer[])
  IS 'Compiles a metadata filter to an SQL expression.';
