-- Which declared fields hold a value of another type in staged documents, and in how many of them; null is of every type.
--
-- Run when the stage holds what is stored in the end: of documents that came twice the last, and what is kept.
--
-- params: tenant_no, library_no
-- Returns one row a field that has such documents: name, type, their number; by name.
SELECT f.name, f.type, count(*)
  FROM ragspine.library_field AS f
  JOIN pg_temp.ragspine_stage_document AS s ON s.metadata ? f.name
 WHERE f.tenant_no = %(tenant_no)s AND f.library_no = %(library_no)s
   AND EXISTS (SELECT
                 FROM jsonb_path_query(s.metadata -> f.name, '$[*]') AS e (value)
                WHERE jsonb_typeof(e.value) <> 'null'
                  AND CASE f.type
                        WHEN 'timestamp' THEN ragspine.field_key_v1(e.value, f.type) IS NULL
                        ELSE jsonb_typeof(e.value) <> f.type
                      END)
 GROUP BY f.name, f.type
 ORDER BY f.name
