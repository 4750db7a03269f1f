-- The revisions of schema ragspine: one row, or none right after a downgrade to nothing.
SELECT version_num FROM ragspine.alembic_version
