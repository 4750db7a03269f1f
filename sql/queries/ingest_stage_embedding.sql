-- Vectors of staged chunks, in pgvector's text form.
CREATE TEMPORARY TABLE ragspine_stage_embedding (
  chunk_seq integer PRIMARY KEY,
  embedding text STORAGE EXTERNAL NOT NULL
) ON COMMIT DROP
