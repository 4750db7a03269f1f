-- Adds an index version of a library under the next number; a library's first goes on from the last of a dropped library of
-- its id, and is published at once: it is empty, so there is nothing to verify.
--
-- params: tenant_no, library_no, state ('published' or 'building'), analyzer, k1, b, pivot, statistics, profile (JSON text),
-- space_no and dimensions (or null)
-- Returns one row: version_no, version.
INSERT INTO ragspine.index_version
       (tenant_no, library_no, version, state, analyzer, k1, b, pivot, statistics, profile, space_no, dimensions, environment,
        published_at)
SELECT %(tenant_no)s, %(library_no)s, coalesce(
         max(v.version),
         (SELECT d.last_version
            FROM ragspine.library AS l
            JOIN ragspine.dropped_library AS d ON d.tenant_no = l.tenant_no AND d.library_id = l.library_id
           WHERE l.tenant_no = %(tenant_no)s AND l.library_no = %(library_no)s),
         0) + 1,
       %(state)s, %(analyzer)s, %(k1)s, %(b)s, %(pivot)s, %(statistics)s, %(profile)s::jsonb, %(space_no)s, %(dimensions)s,
       ragspine.environment_v1(),
       CASE WHEN %(state)s = 'published' THEN clock_timestamp() END
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
RETURNING version_no, version
