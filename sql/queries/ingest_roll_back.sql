-- Gives back the locks taken since the savepoint.
ROLLBACK TO SAVEPOINT ragspine_ingest
