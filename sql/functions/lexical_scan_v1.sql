-- The text of the lexical leg's scan, with the metadata filter compiled in. Owner only.
--
-- The text's parameters: $1 filter, $2 classes, $3 version_no, $4 tenant_no, $5 the query as a sparsevec, $6 the limit.
-- It gives one row: the chunk numbers with the largest inner products, and those, both in descending order.
-- No byte of it comes from a caller: see compile_filter_v1. Run by EXECUTE, so each call is planned for its own parameters.
CREATE FUNCTION ragspine.lexical_scan_v1(filter jsonb, tenant_no integer, library_no integer, classes integer[])
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN $scan$
    SELECT array_agg(s.chunk_no ORDER BY s.approximate DESC), array_agg(s.approximate ORDER BY s.approximate DESC)
      FROM (SELECT x.chunk_no, -(x.impacts OPERATOR(@vector@.<#>) $5) AS approximate
              FROM ragspine.chunk_lexical AS x
             WHERE x.tenant_no = $4 AND x.version_no = $3 AND x.acl_class_no = ANY ($2)$scan$
    || CASE WHEN filter IS NULL THEN '' ELSE format($scan$
               AND x.document_no IN (SELECT d.document_no
                                       FROM ragspine.document AS d
                                      WHERE d.tenant_no = $4 AND d.library_no = %s AND d.acl_class_no = ANY ($2)
                                        AND (%s))$scan$,
         coalesce(library_no, 0), ragspine.compile_filter_v1(filter, tenant_no, library_no, classes)) END
    || $scan$
             ORDER BY approximate DESC
             LIMIT $6) AS s
     WHERE s.approximate > 0$scan$;
END
$$;

COMMENT ON FUNCTION ragspine.lexical_scan_v1(jsonb, integer, integer, integer[]) IS 'The text of the lexical leg''s scan.';
