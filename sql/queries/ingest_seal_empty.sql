-- Empties the temporary tables of a seal for the next class.
TRUNCATE pg_temp.ragspine_seal_chunk, pg_temp.ragspine_seal_lexeme
