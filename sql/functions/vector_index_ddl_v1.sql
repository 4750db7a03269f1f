-- The statement that builds the HNSW index of a version's vectors. Owner only; it is run outside any transaction.
--
-- Returns null for a version that is to have none: without vectors, with more than 4,000 dimensions (pgvector indexes no
--         longer ones, and they are scanned), or with fewer vectors than vector_leg_v1 would ever use an index for.
--
-- The expression and the predicate are those of vector_scan_v1. m and ef_construction: docs/adr/0008.
CREATE FUNCTION ragspine.vector_index_ddl_v1(tenant_no integer, version_no integer)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  index_from CONSTANT bigint := 20000;
  space record;
BEGIN
  SELECT s.dimensions, s.distance INTO space
    FROM ragspine.index_version AS v
    JOIN ragspine.embedding_space AS s ON s.tenant_no = v.tenant_no AND s.space_no = v.space_no
   WHERE v.tenant_no = vector_index_ddl_v1.tenant_no AND v.version_no = vector_index_ddl_v1.version_no
     AND s.dimensions <= 4000
     AND (SELECT sum(c.chunk_count) FROM ragspine.corpus_stat AS c
           WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no AND c.acl_class_no > 0) >= index_from;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN format(
    'CREATE INDEX CONCURRENTLY ix_chunk_embedding__hnsw_%1$s ON ragspine.chunk_embedding USING hnsw '
      '((embedding::@vector@.%2$s(%3$s)) @vector@.%2$s_%4$s_ops) WITH (m = 16, ef_construction = 400) WHERE version_no = %1$s',
    vector_index_ddl_v1.version_no,
    CASE WHEN space.dimensions <= 2000 THEN 'vector' ELSE 'halfvec' END,
    space.dimensions,
    CASE space.distance WHEN 'inner_product' THEN 'ip' ELSE space.distance END);
END
$$;

COMMENT ON FUNCTION ragspine.vector_index_ddl_v1(integer, integer) IS 'The statement that builds a version''s HNSW index.';
