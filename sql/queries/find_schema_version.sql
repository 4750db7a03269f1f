-- Whether anything of ours was ever migrated here: one row, one boolean.
SELECT to_regclass('ragspine.alembic_version') IS NOT NULL
