-- Statistics for the planner about the lexemes of the stage.
ANALYZE pg_temp.ragspine_stage_count, pg_temp.ragspine_stage_word
