-- Statistics for the planner: a temporary table has none, and autovacuum never sees it.
ANALYZE pg_temp.ragspine_stage_document (document_seq, document_id), pg_temp.ragspine_stage_chunk (chunk_seq, document_seq),
        pg_temp.ragspine_stage_analysis (chunk_seq, document_seq), pg_temp.ragspine_stage_plan
