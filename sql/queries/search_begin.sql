-- Opens a search: identity, time limit, and whether row-level security binds this login.
--
-- Params:  grant (signed), timeout (milliseconds, or null for none), single_login ('on' or 'off').
-- Returns: one row; the last column holds the warnings. Raises RS008 (grant) and RS007 (login).
--
-- A time limit that the session has already can only be tightened. The limit is each statement's; the deadline, in
-- milliseconds since 1970 by this server's clock, is that of all (see search_tighten).
SELECT ragspine.assume(%(grant)s),
       pg_catalog.set_config(
         'statement_timeout',
         coalesce(
           least(
             %(timeout)s::bigint,
             nullif(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, 0)::bigint),
           0)::text,
         true),
       pg_catalog.set_config(
         'ragspine.deadline',
         (extract(epoch FROM clock_timestamp()) * 1000 + %(timeout)s::bigint)::bigint::text,
         true),
       pg_catalog.set_config('ragspine.single_login', %(single_login)s, true),
       ragspine.require_backstop_v1()
