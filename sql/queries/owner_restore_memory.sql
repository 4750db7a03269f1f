-- Gives the session back what owner_raise_memory took.
--
-- params: memory, workers
SELECT set_config('maintenance_work_mem', %(memory)s, false), set_config('max_parallel_maintenance_workers', %(workers)s, false)
