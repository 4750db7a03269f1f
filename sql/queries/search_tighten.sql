-- Cuts the time limit of the statements that follow to what is left until the search's deadline (see search_begin).
SELECT pg_catalog.set_config(
         'statement_timeout',
         coalesce(
           least(
             nullif(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000, 0)::bigint,
             greatest(1, current_setting('ragspine.deadline')::bigint - extract(epoch FROM clock_timestamp()) * 1000)::bigint),
           0)::text,
         true)
