-- Makes the access classes of the staged documents that do not exist yet, in one order for all writers.
--
-- params: tenant_no
-- Returns one row: their number.
SELECT count(ragspine.acl_class_no_v1(%(tenant_no)s, k.sensitivity, k.readers IS NULL, k.readers))
  FROM (SELECT DISTINCT s.sensitivity, s.readers
          FROM pg_temp.ragspine_stage_document AS s
         ORDER BY s.sensitivity, s.readers NULLS FIRST) AS k
