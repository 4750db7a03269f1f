-- Before a lock that may have to be given back.
SAVEPOINT ragspine_ingest
