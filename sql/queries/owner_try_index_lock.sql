-- Takes the lock of whoever builds or drops HNSW indexes, for the session, or leaves it; it never waits. The key is a fixed one.
--
-- A statement that waited would hold a snapshot, which CREATE INDEX CONCURRENTLY of the lock's holder would wait for.
--
-- Returns one row: whether it is ours now.
SELECT pg_catalog.pg_try_advisory_lock(8241999151041179000)
