-- The libraries that the caller may read, with the words that a router chooses by.
--
-- Params:  libraries (ids, or null for all), query (or null when nobody chooses by words).
-- Returns: a row a library, by id.
SELECT r.library_id, r.description, r.lexemes, r.query_lexemes
  FROM ragspine.readable_descriptions_v1(%(libraries)s::text[], %(query)s::text) AS r
 ORDER BY r.library_id COLLATE "C"
