-- The documents of a library that may be read and match a metadata filter, by number. Owner only.
--
-- filter:  the JSON form of MetadataFilter; RS001, as in Python, if it is malformed. Null without one.
-- classes: those that may be read. No document of another class is looked at.
-- Returns  their numbers, in no order; null for no filter. A leg scans the rows of these alone: two statements, each planned for
--          what it is given. As one, the planner has to guess how many match; it guessed 1 of 200 and read a version's
--          postings 200 times (2.5 s instead of 5 ms).
CREATE FUNCTION ragspine.matching_documents_v1(filter jsonb, tenant_no integer, library_no integer, classes integer[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  numbers bigint[];
BEGIN
  IF filter IS NULL THEN
    RETURN NULL;
  END IF;
  EXECUTE format($match$
    SELECT coalesce(array_agg(d.document_no), '{}')
      FROM ragspine.document AS d
     WHERE d.tenant_no = $3 AND d.library_no = $4 AND d.acl_class_no = ANY ($2) AND (%s)$match$,
    (ragspine.compile_filter_v1(filter, tenant_no, library_no, classes)).condition)
    INTO numbers USING filter, classes, tenant_no, library_no;
  RETURN numbers;
END
$$;

COMMENT ON FUNCTION ragspine.matching_documents_v1(jsonb, integer, integer, integer[])
  IS 'Readable documents that match a metadata filter.';
