-- The text of the lexical leg's scan. Owner only.
--
-- passing: null to score every readable chunk; 'unsealed' those of the classes $7, and of the classes $8 what stands in the
--          tail; else of the documents $6 alone: 'many' scans all and leaves the others out, 'few' looks each chunk up by its
--          key.
-- required, excluded: how many vectors of each the query demands, null for none (demand_conditions_v1).
-- The text's parameters: $1 tenant_no, $2 version_no, $3 classes, $4 the query as a sparsevec, $5 the limit, $6 document
-- numbers, $7 and $8 the classes without postings and with them, $9 and $10 what is required and
-- excluded. It gives one row: the chunk numbers with the largest inner
-- products, and those, both in descending order.
-- No byte of it comes from a caller. Run by EXECUTE, so each call is planned for its own parameters.
CREATE FUNCTION ragspine.lexical_scan_v1(
  passing text, required integer DEFAULT NULL, excluded integer DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN format($scan$
    SELECT array_agg(s.chunk_no ORDER BY s.approximate DESC), array_agg(s.approximate ORDER BY s.approximate DESC)
      FROM (SELECT x.chunk_no, -(x.impacts OPERATOR(@vector@.<#>) $4) AS approximate
              FROM %s
             WHERE x.tenant_no = $1 AND x.version_no = $2 AND x.acl_class_no = ANY ($3)%s%s
             ORDER BY approximate DESC
             LIMIT $5) AS s
     WHERE s.approximate > 0$scan$,
    CASE WHEN passing = 'few' THEN $few$(SELECT c.tenant_no, c.version_no, c.acl_class_no, c.chunk_no
                      FROM ragspine.chunk AS c
                     WHERE c.tenant_no = $1 AND c.version_no = $2 AND c.document_no = ANY ($6)
                    OFFSET 0) AS c
             CROSS JOIN LATERAL (SELECT *
                                   FROM ragspine.chunk_lexical AS x
                                  WHERE x.tenant_no = c.tenant_no AND x.version_no = c.version_no
                                    AND x.acl_class_no = c.acl_class_no AND x.chunk_no = c.chunk_no
                                 OFFSET 0) AS x$few$
         WHEN passing = 'unsealed' THEN $tail$(SELECT x.*
                      FROM ragspine.chunk_lexical AS x
                     WHERE x.tenant_no = $1 AND x.version_no = $2 AND x.acl_class_no = ANY ($7)
                    UNION ALL
                    SELECT x.*
                      FROM (SELECT t.tenant_no, t.version_no, t.acl_class_no, t.chunk_no
                              FROM ragspine.lexical_tail AS t
                             WHERE t.tenant_no = $1 AND t.version_no = $2 AND t.acl_class_no = ANY ($8)
                            OFFSET 0) AS t
                     CROSS JOIN LATERAL (SELECT *
                                           FROM ragspine.chunk_lexical AS x
                                          WHERE x.tenant_no = t.tenant_no AND x.version_no = t.version_no
                                            AND x.acl_class_no = t.acl_class_no AND x.chunk_no = t.chunk_no
                                         OFFSET 0) AS x) AS x$tail$
         ELSE 'ragspine.chunk_lexical AS x' END,
    CASE WHEN passing = 'many' THEN ' AND x.document_no = ANY ($6)' ELSE '' END,
    ragspine.demand_conditions_v1(9, required, excluded));
END
$$;

COMMENT ON FUNCTION ragspine.lexical_scan_v1(text, integer, integer) IS 'The text of the lexical leg''s scan.';
