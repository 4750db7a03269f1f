-- The words of a query that are looked for, as one text: without operators, and without what is excluded.
--
-- A query without an operator is itself. Of `prefix*` it is the word as far as it goes. See parse_query_v1.
CREATE FUNCTION ragspine.query_words_v1(query text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(string_agg(p.content, ' ' ORDER BY p.place) FILTER (WHERE p.occurs <> 'not'), '')
    FROM ragspine.parse_query_v1(query) AS p
$$;

COMMENT ON FUNCTION ragspine.query_words_v1(text) IS 'The words of a query that are looked for, as one text.';
