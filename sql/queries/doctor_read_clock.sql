-- The server's clock.
--
-- No parameters. Returns one row: seconds since 1970.
SELECT extract(epoch FROM clock_timestamp())::double precision
