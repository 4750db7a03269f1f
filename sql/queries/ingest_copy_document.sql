-- Streams documents into the stage.
COPY pg_temp.ragspine_stage_document (document_seq, document_id, source_uri, title, language, metadata, readers, sensitivity,
                                      text_length, content_sha256, first_chunk_seq, chunk_count, keep_readers,
                                      keep_sensitivity, keep_metadata) FROM STDIN (FORMAT BINARY)
