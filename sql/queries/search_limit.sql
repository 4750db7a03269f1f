-- Tightens the time limit of the statements that follow.
--
-- Params:  timeout (milliseconds, or null for none).
SELECT pg_catalog.set_config('statement_timeout', %(timeout)s::bigint::text, true) WHERE %(timeout)s::bigint IS NOT NULL
