-- The libraries that a search goes through, with the version that each is searched in.
--
-- Params:  libraries (ids, or null for all), versions (a cursor's, as JSON, or null).
-- Returns: a row a library, by id.
SELECT l.library_id, l.version, l.version_no, l.analyzer, l.fields, l.space, l.embedding, l.fusion
  FROM ragspine.readable_libraries_v1(%(libraries)s, %(versions)s::jsonb) AS l
 ORDER BY l.library_id COLLATE "C"
