-- The text of the vector leg's scan. Owner only.
--
-- distance:   'cosine', 'inner_product' or 'l2'; what pgvector's operator for it gives is smaller for nearer vectors.
-- dimensions: of the version's space; an HNSW index is on the vector cast to that many, as halfvec from 2,001 on.
-- filtered:   whether $6 narrows.
-- indexed:    whether to order by what the HNSW index of the version is on. Else 0 is added, which no index answers.
-- required, excluded: how many vectors of each the query demands of a chunk's lexemes, null for none (demand_conditions_v1).
-- The text's parameters: $1 tenant_no, $2 version_no, $3 classes, $4 the query, $5 the limit, $6 document numbers,
-- $7 and $8 what is required and excluded.
-- It gives one row: the numbers of the nearest chunks and their distances, both in ascending order of distance.
-- No byte of it comes from a caller. The version's number is written out, being the predicate of its partial index.
CREATE FUNCTION ragspine.vector_scan_v1(
  version_no integer, distance text, dimensions integer, filtered boolean, indexed boolean,
  required integer DEFAULT NULL, excluded integer DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  operator CONSTANT text := CASE distance WHEN 'cosine' THEN '<=>' WHEN 'inner_product' THEN '<#>' WHEN 'l2' THEN '<->' END;
  conditions CONSTANT text := ragspine.demand_conditions_v1(7, required, excluded);
  type CONSTANT text := CASE WHEN dimensions <= 2000 THEN 'vector' ELSE 'halfvec' END;
BEGIN
  RETURN format($scan$
    SELECT array_agg(s.chunk_no ORDER BY s.distance), array_agg(s.distance ORDER BY s.distance)
      FROM (SELECT x.chunk_no, x.embedding OPERATOR(@vector@.%1$s) $4 AS distance
              FROM ragspine.chunk_embedding AS x
             WHERE x.tenant_no = $1 AND x.version_no = %2$s AND x.acl_class_no = ANY ($3)%3$s%5$s
             ORDER BY %4$s
             LIMIT $5) AS s$scan$,
    operator,
    version_no,
    CASE WHEN filtered THEN ' AND x.document_no = ANY ($6)' ELSE '' END,
    CASE WHEN indexed
      THEN format('x.embedding::@vector@.%1$s(%2$s) OPERATOR(@vector@.%3$s) $4::@vector@.%1$s(%2$s)', type, dimensions, operator)
      ELSE format('(x.embedding OPERATOR(@vector@.%s) $4) + 0', operator) END,
    CASE WHEN conditions = '' THEN '' ELSE format($demanded$
               AND EXISTS (SELECT
                             FROM (SELECT l.impacts
                                     FROM ragspine.chunk_lexical AS l
                                    WHERE l.tenant_no = x.tenant_no AND l.version_no = x.version_no
                                      AND l.acl_class_no = x.acl_class_no AND l.chunk_no = x.chunk_no
                                   OFFSET 0) AS x
                            WHERE true%s)$demanded$, conditions) END);
END
$$;

COMMENT ON FUNCTION ragspine.vector_scan_v1(integer, text, integer, boolean, boolean, integer, integer)
  IS 'The text of the vector leg''s scan.';
