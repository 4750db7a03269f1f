-- The part of a WHERE that holds a query's demands against x, a row of chunk_lexical.
--
-- first:    the number of the parameter with the required vectors; the one after it has the excluded ones. See read_demands_v1.
-- required, excluded: how many there are of each; null for none.
-- No byte of it comes from a caller.
CREATE FUNCTION ragspine.demand_conditions_v1(first integer, required integer, excluded integer)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(string_agg(c.condition, ''), '')
    FROM (SELECT format(' AND (x.impacts OPERATOR(@vector@.<#>) ($%s)[%s]) < 0', first, n) AS condition
            FROM generate_series(1, required) AS n
          UNION ALL
          SELECT format(' AND (x.impacts OPERATOR(@vector@.<#>) ($%s)[%s]) >= 0', first + 1, n)
            FROM generate_series(1, excluded) AS n) AS c
$$;

COMMENT ON FUNCTION ragspine.demand_conditions_v1(integer, integer, integer) IS 'A query''s demands as conditions of a scan.';
