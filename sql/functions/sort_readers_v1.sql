-- Readers as an access class keeps them: each once, in code-point order.
CREATE FUNCTION ragspine.sort_readers_v1(readers text[])
RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(d.principal ORDER BY d.principal COLLATE "C"), '{}')
    FROM (SELECT DISTINCT u.principal COLLATE "C" AS principal FROM unnest(readers) AS u(principal)) AS d
$$;

COMMENT ON FUNCTION ragspine.sort_readers_v1(text[]) IS 'Readers, each once, in code-point order.';
