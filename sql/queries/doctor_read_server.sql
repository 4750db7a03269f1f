-- The server, and where pgvector is in it.
--
-- No parameters. Returns one row: server_version_num, server_version, pgvector's version or NULL, its schema or NULL.
SELECT current_setting('server_version_num')::integer, current_setting('server_version'), e.extversion, n.nspname::text
  FROM (VALUES (1)) AS one (row)
  LEFT JOIN pg_catalog.pg_extension AS e ON e.extname = 'vector'
  LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
