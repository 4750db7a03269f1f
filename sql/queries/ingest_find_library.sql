-- A library and one of its versions.
--
-- params: tenant, library_id, version (its number, null for the published one)
-- Returns one row, or none: tenant_no, library_no, version_no, version, state, analyzer, k1, b, pivot, profile (JSON text),
-- space_no and dimensions (null without vectors), whether the version's lexemes were made under this server and locale, and
-- both environments, as written.
SELECT l.tenant_no, l.library_no, v.version_no, v.version, v.state, v.analyzer, v.k1, v.b, v.pivot, v.profile::text, v.space_no,
       v.dimensions, v.environment = ragspine.environment_v1(), v.environment, ragspine.environment_v1()
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l ON l.tenant_no = t.tenant_no
  JOIN ragspine.index_version AS v
    ON v.tenant_no = l.tenant_no AND v.library_no = l.library_no
   AND CASE WHEN %(version)s::integer IS NULL THEN v.state = 'published' ELSE v.version = %(version)s END
 WHERE t.tenant = %(tenant)s AND l.library_id = %(library_id)s
