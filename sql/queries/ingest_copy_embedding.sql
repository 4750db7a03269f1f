-- Fills the stage of vectors.
COPY pg_temp.ragspine_stage_embedding (chunk_seq, embedding) FROM STDIN WITH (FORMAT binary)
