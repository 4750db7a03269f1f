-- What comes next can be undone alone.
SAVEPOINT ragspine_leg
