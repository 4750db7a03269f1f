-- What the server's log tells of statements.
--
-- No parameters. Returns one row: log_error_verbosity; log_min_error_statement; whether statements are written with their
-- parameters; whether those that fail are.
SELECT current_setting('log_error_verbosity'), current_setting('log_min_error_statement'),
       current_setting('log_parameter_max_length') <> '0'
         AND (current_setting('log_statement') <> 'none' OR current_setting('log_min_duration_statement') <> '-1'
              OR current_setting('log_min_duration_sample') <> '-1'
              OR current_setting('log_transaction_sample_rate') <> '0'),
       current_setting('log_parameter_max_length_on_error') <> '0'
