-- Prepares the transaction of a writing call.
--
-- Returns one row: whether the isolation level is READ COMMITTED, which every "lock, then read in the next statement"
-- relies on. extra_float_digits is set for the transaction, so that impacts are written with all their digits whatever the
-- login's default is; jit off, since it costs more than it saves in statements of some thousand rows; 64 MB for sorts and
-- hashes, so that a slice stays in memory.
SELECT current_setting('transaction_isolation') = 'read committed',
       set_config('extra_float_digits', '1', true),
       set_config('jit', 'off', true),
       set_config('work_mem', greatest(pg_size_bytes(current_setting('work_mem')), 67108864) / 1024 || 'kB', true)
