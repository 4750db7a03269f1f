-- Adds the first index version of a new library, published at once: it is empty, so there is nothing to verify.
--
-- params: tenant_no, library_no, analyzer, k1, b, pivot, profile (JSON text), space_no and dimensions (or null)
INSERT INTO ragspine.index_version
       (tenant_no, library_no, version, state, analyzer, k1, b, pivot, profile, space_no, dimensions, environment, published_at)
VALUES (%(tenant_no)s, %(library_no)s, 1, 'published', %(analyzer)s, %(k1)s, %(b)s, %(pivot)s, %(profile)s::jsonb,
        %(space_no)s, %(dimensions)s, ragspine.environment_v1(), now())
