-- Index versions whose lexemes were made under another server major version or locale than this server's.
--
-- No parameters. Returns one row a version: tenant, library id, version, state, its environment, the server's.
SELECT t.tenant, l.library_id, v.version, v.state, v.environment, ragspine.environment_v1()
  FROM ragspine.index_version AS v
  JOIN ragspine.library AS l ON l.tenant_no = v.tenant_no AND l.library_no = v.library_no
  JOIN ragspine.tenant AS t ON t.tenant_no = v.tenant_no
 WHERE v.state IN ('building', 'verified', 'published') AND v.environment <> ragspine.environment_v1()
 ORDER BY 1, 2, 3
