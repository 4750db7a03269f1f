-- Run once, as superuser, in the application's database. The passwords come from the environment.
\set ON_ERROR_STOP on
\getenv owner_password RAGSPINE_OWNER_PASSWORD
\getenv ingest_password RAGSPINE_INGEST_PASSWORD
\getenv reader_password RAGSPINE_READER_PASSWORD

CREATE ROLE ragspine_ingest NOLOGIN;
CREATE ROLE ragspine_reader NOLOGIN;
CREATE ROLE ragspine_gate NOLOGIN;
CREATE ROLE app_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE app_ingest LOGIN PASSWORD :'ingest_password' IN ROLE ragspine_ingest;
CREATE ROLE app_reader LOGIN PASSWORD :'reader_password' IN ROLE ragspine_reader;

-- Who migrates gives the gate its functions (docs/adr/0007).
GRANT ragspine_gate TO app_owner;

-- pgvector is no trusted extension: a superuser installs it, and nothing else here needs one again.
CREATE EXTENSION vector;

-- The counters of single tables tell which rows a query looked at, hidden ones too (docs/adr/0007).
SELECT pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure)
  FROM pg_catalog.pg_proc
 WHERE pronamespace = 'pg_catalog'::regnamespace
   AND proname ~ '^pg_stat_get_(xact_)?(numscans|lastscan|tuples_|live_|dead_|mod_since|ins_since|blocks_)' \gexec

SELECT pg_catalog.format('ALTER DATABASE %I OWNER TO app_owner', pg_catalog.current_database()) \gexec
SELECT pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database()) \gexec
SELECT pg_catalog.format('GRANT TEMPORARY ON DATABASE %I TO ragspine_ingest', pg_catalog.current_database()) \gexec
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
