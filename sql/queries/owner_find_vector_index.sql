-- The published version of a library and its HNSW index, for the owner.
--
-- params: tenant, library_id
-- Returns one row, or none for an unknown library: the index's name, whether it is valid (null when there is none), and the
-- statement that builds it (null when it is to have none).
SELECT 'ix_chunk_embedding__hnsw_' || v.version_no,
       (SELECT i.indisvalid
          FROM pg_catalog.pg_index AS i
         WHERE i.indexrelid = to_regclass('ragspine.ix_chunk_embedding__hnsw_' || v.version_no)),
       ragspine.vector_index_ddl_v1(v.tenant_no, v.version_no)
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l ON l.tenant_no = t.tenant_no
  JOIN ragspine.index_version AS v
    ON v.tenant_no = l.tenant_no AND v.library_no = l.library_no AND v.state = 'published'
 WHERE t.tenant = %(tenant)s AND l.library_id = %(library_id)s
