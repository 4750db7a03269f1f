-- Keeps the number of the last version of a library that is about to be dropped.
--
-- params: tenant_no, library_no
INSERT INTO ragspine.dropped_library AS d (tenant_no, library_id, last_version)
SELECT l.tenant_no, l.library_id, max(v.version)
  FROM ragspine.library AS l
  JOIN ragspine.index_version AS v ON v.tenant_no = l.tenant_no AND v.library_no = l.library_no
 WHERE l.tenant_no = %(tenant_no)s AND l.library_no = %(library_no)s
 GROUP BY l.tenant_no, l.library_id
    ON CONFLICT (tenant_no, library_id) DO UPDATE SET last_version = excluded.last_version
