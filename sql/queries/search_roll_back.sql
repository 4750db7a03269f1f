-- Undoes what failed since search_savepoint, its time limit included.
ROLLBACK TO SAVEPOINT ragspine_leg
