-- The documents that the plan names.
--
-- Returns one row: their numbers.
SELECT coalesce(array_agg(p.document_no), '{}')
  FROM pg_temp.ragspine_stage_plan AS p
