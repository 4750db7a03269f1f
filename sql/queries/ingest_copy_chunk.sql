-- Streams chunks into the stage.
COPY pg_temp.ragspine_stage_chunk (chunk_seq, document_seq, ordinal, chunk_id, span_start, span_end, slice_sha256,
                                   window_start, window_end, window_sha256, text) FROM STDIN (FORMAT BINARY)
