-- Prepares a database for ragspine_pg: run it with psql, once, as superuser, in the database. Beside an application that
-- lives there already it is harmless: it makes what is missing, changes no owner, and takes no right from anybody. Running
-- it again changes nothing; in another database of the same server, it uses the roles that are there. All or nothing.
--
-- What it makes: extension vector; the group roles ragspine_reader, ragspine_ingest and ragspine_gate; and three logins, in
-- this database with these rights more than everybody's:
--   app_owner   migrates: CREATE in the database, for schema ragspine, and membership of ragspine_gate
--   app_ingest  writes documents: membership of ragspine_ingest, which may make temporary tables
--   app_reader  searches: membership of ragspine_reader
-- Other names: psql -v owner=… -v ingest=… -v reader=…; a login that exists is used, and its password stays. The passwords
-- of those that do not come from the environment: RAGSPINE_OWNER_PASSWORD and so on.
\set ON_ERROR_STOP on
\set VERBOSITY terse
\set owner_password ''
\set ingest_password ''
\set reader_password ''
\getenv owner_password RAGSPINE_OWNER_PASSWORD
\getenv ingest_password RAGSPINE_INGEST_PASSWORD
\getenv reader_password RAGSPINE_READER_PASSWORD
\if :{?owner}
\else
  \set owner app_owner
\endif
\if :{?ingest}
\else
  \set ingest app_ingest
\endif
\if :{?reader}
\else
  \set reader app_reader
\endif

BEGIN;
SET LOCAL client_min_messages = warning; -- not of what is there already

-- What is needed and not set, before anything is made. DO takes no parameters; its body names no password.
SELECT pg_catalog.format(
         'DO %L',
         pg_catalog.format('BEGIN RAISE EXCEPTION %L; END', 'nothing was done: set '
           || pg_catalog.string_agg(variable, ', ' ORDER BY place) || ' to the passwords of the logins to be made'))
  FROM (VALUES (1, :'owner', 'RAGSPINE_OWNER_PASSWORD', :'owner_password'),
               (2, :'ingest', 'RAGSPINE_INGEST_PASSWORD', :'ingest_password'),
               (3, :'reader', 'RAGSPINE_READER_PASSWORD', :'reader_password')) AS wanted (place, login, variable, password)
 WHERE password = '' AND pg_catalog.to_regrole(pg_catalog.quote_ident(login)) IS NULL
HAVING pg_catalog.count(*) > 0 \gexec

SELECT pg_catalog.format('CREATE ROLE %I NOLOGIN', name)
  FROM (VALUES ('ragspine_reader'), ('ragspine_ingest'), ('ragspine_gate')) AS wanted (name)
 WHERE pg_catalog.to_regrole(name) IS NULL \gexec

SELECT pg_catalog.format('CREATE ROLE %I LOGIN PASSWORD %L', login, password)
  FROM (VALUES (:'owner', :'owner_password'),
               (:'ingest', :'ingest_password'),
               (:'reader', :'reader_password')) AS wanted (login, password)
 WHERE pg_catalog.to_regrole(pg_catalog.quote_ident(login)) IS NULL \gexec

-- Who migrates gives the gate its functions (docs/adr/0007). INHERIT and SET whatever the login's own default is.
GRANT ragspine_gate TO :"owner" WITH INHERIT TRUE, SET TRUE;
GRANT ragspine_ingest TO :"ingest" WITH INHERIT TRUE;
GRANT ragspine_reader TO :"reader" WITH INHERIT TRUE;

SELECT pg_catalog.format('GRANT CONNECT, CREATE, TEMPORARY ON DATABASE %I TO %I', pg_catalog.current_database(), :'owner') \gexec
SELECT pg_catalog.format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO ragspine_ingest', pg_catalog.current_database()) \gexec
SELECT pg_catalog.format('GRANT CONNECT ON DATABASE %I TO ragspine_reader', pg_catalog.current_database()) \gexec

-- pgvector is no trusted extension: a superuser installs it, and nothing else of ours needs one again.
SELECT 'CREATE EXTENSION vector'
 WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'vector') \gexec

COMMIT;
