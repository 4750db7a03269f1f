-- Drops the stage at the end of a call, for a caller whose transaction goes on (a failed one is rolled back as a whole).
DROP TABLE pg_temp.ragspine_stage_document, pg_temp.ragspine_stage_page, pg_temp.ragspine_stage_chunk,
           pg_temp.ragspine_stage_analysis, pg_temp.ragspine_stage_embedding, pg_temp.ragspine_stage_plan, pg_temp.ragspine_stage_count,
           pg_temp.ragspine_stage_word, pg_temp.ragspine_stage_delta
