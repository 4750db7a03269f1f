-- Bounds what a search runs in time.
--
-- Params:  timeout (milliseconds).
--
-- A time limit that the session has already can only be tightened. The limit is each statement's; the deadline, in
-- milliseconds since 1970 by this server's clock, is that of all (see search_tighten).
SELECT pg_catalog.set_config(
         'statement_timeout',
         least(
           %(timeout)s::bigint,
           nullif(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, 0)::bigint)::text,
         true),
       pg_catalog.set_config(
         'ragspine.deadline',
         (extract(epoch FROM clock_timestamp()) * 1000 + %(timeout)s::bigint)::bigint::text,
         true)
