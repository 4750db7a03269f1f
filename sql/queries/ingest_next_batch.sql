-- The number of this call's statistics rows.
SELECT nextval('ragspine.batch')
