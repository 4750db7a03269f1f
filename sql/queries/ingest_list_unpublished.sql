-- The versions of a library that were never published and are not being dropped.
--
-- params: tenant_no, library_no
-- Returns one row a version: version_no, version, state, profile (JSON text), whether it is of this server and locale.
SELECT v.version_no, v.version, v.state, v.profile::text, v.environment = ragspine.environment_v1()
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state IN ('building', 'verified', 'failed')
 ORDER BY v.version DESC
