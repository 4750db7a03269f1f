-- HNSW indexes of versions that are no more, or are not published or retired, for the owner to drop.
--
-- Returns one row an index: its name.
SELECT c.relname
  FROM pg_catalog.pg_class AS c
  LEFT JOIN ragspine.index_version AS v
    ON c.relname = 'ix_chunk_embedding__hnsw_' || v.version_no AND v.state IN ('published', 'retired')
 WHERE c.relnamespace = 'ragspine'::regnamespace AND c.relkind = 'i' AND c.relname ~ '^ix_chunk_embedding__hnsw_[0-9]+$'
   AND v.version_no IS NULL
 ORDER BY c.relname
