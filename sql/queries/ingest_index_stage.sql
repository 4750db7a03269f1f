-- Finds a document of the stage by its id.
CREATE INDEX ON pg_temp.ragspine_stage_document (document_id)
