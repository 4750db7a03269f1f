-- Gives the lock of owner_try_index_lock back.
SELECT pg_catalog.pg_advisory_unlock(8241999151041179000)
