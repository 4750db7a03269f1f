-- Those of some documents that match a metadata filter. Owner only.
--
-- filter, condition: the filter and the truth that compile_filter_v1 made of it.
-- classes:           those that may be read. No document of another class is looked at.
-- documents:         numbers. Returns some of them, each once, in no order.
-- For what few candidates of a leg are asked about. matching_documents_v1 lists all that match.
CREATE FUNCTION ragspine.admit_documents_v1(filter jsonb, condition text, tenant_no integer, classes integer[], documents bigint[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  numbers bigint[];
BEGIN
  EXECUTE format($match$
    SELECT coalesce(array_agg(d.document_no), '{}')
      FROM (SELECT DISTINCT n.document_no FROM unnest($4) AS n(document_no)) AS n
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.document AS d
                          WHERE d.tenant_no = $3 AND d.document_no = n.document_no AND d.acl_class_no = ANY ($2)
                         OFFSET 0) AS d
     WHERE (%s)$match$, condition)
    INTO numbers USING filter, classes, tenant_no, documents;
  RETURN numbers;
END
$$;

COMMENT ON FUNCTION ragspine.admit_documents_v1(jsonb, text, integer, integer[], bigint[])
  IS 'Those of some documents that match a metadata filter.';
