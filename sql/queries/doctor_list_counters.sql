-- The counters of single tables and indexes that everybody may read in this database.
--
-- No parameters. Returns one row a function: its signature.
SELECT p.oid::regprocedure::text
  FROM pg_catalog.pg_proc AS p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace
   AND p.proname ~ '^pg_stat_get_(xact_)?(numscans|lastscan|tuples_|live_|dead_|mod_since|ins_since|blocks_)'
   AND has_function_privilege('public', p.oid, 'EXECUTE')
 ORDER BY 1
