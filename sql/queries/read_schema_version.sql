-- The revision of schema ragspine, and what the migration that made it left about its build (null: nothing).
--
-- No parameters. One row (version_num text, build text), or none right after a downgrade to nothing. Any login may ask.
SELECT version_num, obj_description('ragspine.alembic_version'::regclass, 'pg_class') FROM ragspine.alembic_version
