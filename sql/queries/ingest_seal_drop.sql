-- Drops the temporary tables of a seal, for the next one in the same transaction.
DROP TABLE pg_temp.ragspine_seal_chunk, pg_temp.ragspine_seal_lexeme
