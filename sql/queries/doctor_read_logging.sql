-- What the server's log tells of a statement that fails.
--
-- No parameters. Returns one row: log_error_verbosity, log_min_error_statement.
SELECT current_setting('log_error_verbosity'), current_setting('log_min_error_statement')
