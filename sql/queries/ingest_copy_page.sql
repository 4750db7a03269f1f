-- Streams pages into the stage.
COPY pg_temp.ragspine_stage_page (document_seq, page_no, text) FROM STDIN (FORMAT BINARY)
