-- The text of the lexical leg's scan. Owner only.
--
-- strategy: as select_candidates_v1 names it. 'scan' scores every readable chunk, if listed of the documents $6 alone; 'look-up'
--           the chunks $6 of the classes $7; 'postings' what is not sealed: the classes $7, and of the classes $8 what stands in
--           the tail.
-- required, excluded: how many vectors of each the query demands, null for none (demand_conditions_v1).
-- The text's parameters: $1 tenant_no, $2 version_no, $3 classes, $4 the query as a sparsevec, $5 the limit, $6 document
-- or chunk numbers, $7 and $8 classes, $9 and $10 what is required and excluded. It gives one row: the chunk numbers with the
-- largest inner products, their documents, and the products, all in descending order of these.
-- No byte of it comes from a caller. Run by EXECUTE, so each call is planned for its own parameters.
CREATE FUNCTION ragspine.lexical_scan_v1(
  strategy text, listed boolean, required integer DEFAULT NULL, excluded integer DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN format($scan$
    SELECT array_agg(s.chunk_no ORDER BY s.approximate DESC), array_agg(s.document_no ORDER BY s.approximate DESC),
           array_agg(s.approximate ORDER BY s.approximate DESC)
      FROM (SELECT x.chunk_no, x.document_no, -(x.impacts OPERATOR(@vector@.<#>) $4) AS approximate
              FROM %s
             WHERE x.tenant_no = $1 AND x.version_no = $2 AND x.acl_class_no = ANY ($3)%s%s
             ORDER BY approximate DESC
             LIMIT $5) AS s
     WHERE s.approximate > 0$scan$,
    CASE WHEN strategy = 'look-up' THEN $key$unnest($6, $7) AS c(chunk_no, acl_class_no)
             CROSS JOIN LATERAL (SELECT *
                                   FROM ragspine.chunk_lexical AS x
                                  WHERE x.tenant_no = $1 AND x.version_no = $2
                                    AND x.acl_class_no = c.acl_class_no AND x.chunk_no = c.chunk_no
                                 OFFSET 0) AS x$key$
         WHEN strategy = 'postings' THEN $tail$(SELECT x.*
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
    CASE WHEN strategy = 'scan' AND listed THEN ' AND x.document_no = ANY ($6)' ELSE '' END,
    ragspine.demand_conditions_v1(9, required, excluded));
END
$$;

COMMENT ON FUNCTION ragspine.lexical_scan_v1(text, boolean, integer, integer) IS 'The text of the lexical leg''s scan.';
