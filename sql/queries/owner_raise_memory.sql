-- Gives the session what the build of a graph needs: memory, unless it has more already, and one process.
--
-- A graph that does not fit is built on disk, ten times as slowly. Several processes would take all of that memory as shared
-- memory at once, which containers have little of.
--
-- Returns one row: maintenance_work_mem and max_parallel_maintenance_workers as they were.
WITH before AS MATERIALIZED (
  SELECT current_setting('maintenance_work_mem') AS memory, current_setting('max_parallel_maintenance_workers') AS workers
), raised AS MATERIALIZED (
  SELECT set_config('maintenance_work_mem', greatest(pg_size_bytes(b.memory), 1073741824) / 1024 || 'kB', false),
         set_config('max_parallel_maintenance_workers', '0', false)
    FROM before AS b
)
SELECT b.memory, b.workers FROM before AS b CROSS JOIN raised
