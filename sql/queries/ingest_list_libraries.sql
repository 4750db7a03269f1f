-- The libraries of a tenant, or of all tenants.
--
-- params: tenant (null: all)
-- Returns one row a library: tenant, library_id, description, number of documents, number of the published version,
-- created_at.
SELECT t.tenant, l.library_id, l.description,
       (SELECT count(*)
          FROM ragspine.document AS d
         WHERE d.tenant_no = l.tenant_no AND d.library_no = l.library_no),
       (SELECT v.version
          FROM ragspine.index_version AS v
         WHERE v.tenant_no = l.tenant_no AND v.library_no = l.library_no AND v.state = 'published'),
       l.created_at
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l ON l.tenant_no = t.tenant_no
 WHERE t.tenant = %(tenant)s OR %(tenant)s::text IS NULL
 ORDER BY 1, 2
