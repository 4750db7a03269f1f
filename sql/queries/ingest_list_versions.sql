-- The index versions of a library, newest first.
--
-- params: tenant_no, library_no
-- Returns one row a version: version, state, analyzer, k1, b, pivot, profile (JSON text), environment, lexeme_count,
-- created_at, published_at, number of pending documents.
SELECT v.version, v.state, v.analyzer, v.k1, v.b, v.pivot, v.profile::text, v.environment, v.lexeme_count, v.created_at,
       v.published_at,
       (SELECT count(*) FROM ragspine.pending_document AS p
         WHERE p.tenant_no = v.tenant_no AND p.version_no = v.version_no)
  FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
 ORDER BY v.version DESC
