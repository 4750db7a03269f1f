-- Functions of schema ragspine that differ from the twins that were just made in the temporary schema.
--
-- No parameters. Returns one row a function that differs: name with arguments, and how: missing, stray or changed.
WITH
  routine AS (
    SELECT p.pronamespace, p.proname, p.proargtypes,
           p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS label,
           (p.prokind, p.prosrc, p.prosecdef, p.provolatile, p.proparallel, p.proleakproof, p.proisstrict, p.proretset,
            p.prorettype, p.proallargtypes, p.proargmodes, p.proargnames, pg_get_expr(p.proargdefaults, 0), p.proconfig,
            p.procost, p.prorows, p.prolang)::text AS definition
      FROM pg_catalog.pg_proc AS p
  ),
  twin AS (SELECT * FROM routine WHERE pronamespace = pg_my_temp_schema()),
  actual AS (SELECT * FROM routine WHERE pronamespace = to_regnamespace('ragspine'))
SELECT coalesce(actual.label, twin.label),
       CASE WHEN actual.label IS NULL THEN 'missing' WHEN twin.label IS NULL THEN 'stray' ELSE 'changed' END
  FROM actual
  FULL JOIN twin ON twin.proname = actual.proname AND twin.proargtypes = actual.proargtypes
 WHERE actual.definition IS DISTINCT FROM twin.definition
 ORDER BY 1
