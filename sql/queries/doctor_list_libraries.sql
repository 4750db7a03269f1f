-- Every library, as the ingest login or the owner sees them.
--
-- No parameters. Returns one row a library: tenant, library id, number of published versions.
SELECT t.tenant, l.library_id,
       (SELECT count(*)
          FROM ragspine.index_version AS v
         WHERE v.tenant_no = l.tenant_no AND v.library_no = l.library_no AND v.state = 'published')
  FROM ragspine.library AS l
  JOIN ragspine.tenant AS t ON t.tenant_no = l.tenant_no
 ORDER BY 1, 2
