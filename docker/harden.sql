-- Optional, after init.sql: TAKES RIGHTS FROM EVERYBODY in this database, the application that lives there included. Read
-- each part, and give the application's roles back what they use. Run it with psql, as superuser, in the database; it can
-- be run again. Without it ragspine_pg works, and `ragspine-pg doctor` warns of all three. All or nothing.
\set ON_ERROR_STOP on

BEGIN;

-- Takes away: temporary tables, from every role that has the right from PUBLIC alone, as all have by default.
-- Why: who searches has no use for them. Give it back: GRANT TEMPORARY ON DATABASE … TO <the application's role>.
SELECT pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database()) \gexec
SELECT pg_catalog.format('GRANT TEMPORARY ON DATABASE %I TO ragspine_ingest', pg_catalog.current_database()) \gexec
-- Whoever owns schema ragspine keeps it: `ragspine-pg doctor` compares by temporary tables. (init.sql gives it, too.)
SELECT pg_catalog.format('GRANT TEMPORARY ON DATABASE %I TO %I', pg_catalog.current_database(), rolname)
  FROM pg_catalog.pg_namespace
  JOIN pg_catalog.pg_roles ON pg_roles.oid = nspowner
 WHERE nspname = 'ragspine' \gexec

-- Takes away: the views pg_stat_user_tables, pg_stat_user_indexes and their like, which call these functions, from every
-- role but superusers and members of pg_monitor.
-- Why: the counters of single tables tell which rows a query looked at, hidden ones too (docs/adr/0007).
-- Give it back: GRANT pg_monitor TO <the role that watches tables>.
SELECT pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', oid::regprocedure),
       pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure)
  FROM pg_catalog.pg_proc
 WHERE pronamespace = 'pg_catalog'::regnamespace
   AND proname ~ '^pg_stat_get_(xact_)?(numscans|lastscan|tuples_|live_|dead_|mod_since|ins_since|blocks_)' \gexec

-- Takes away: making tables and functions in schema public, in a database from before PostgreSQL 15 or where it was
-- granted. Why: nobody is to put a function of his own where others look for one. Nothing of ours looks there.
-- Give it back: GRANT CREATE ON SCHEMA public TO <the application's role>.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

COMMIT;
