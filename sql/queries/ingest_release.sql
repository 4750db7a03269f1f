-- Keeps what was done since the savepoint.
RELEASE SAVEPOINT ragspine_ingest
