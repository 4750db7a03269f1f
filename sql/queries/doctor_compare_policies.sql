-- Policies that differ from the twins of the same name that were just made on temporary tables.
--
-- No parameters. Returns one row a policy that differs: table, policy. Expressions are compared as the server writes them.
WITH
  policy AS (
    SELECT c.relnamespace, c.relname, p.polname,
           (p.polcmd, p.polpermissive, (SELECT array_agg(role ORDER BY role) FROM unnest(p.polroles) AS role),
            pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))::text AS definition
      FROM pg_catalog.pg_policy AS p
      JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid
  )
SELECT actual.relname::text, actual.polname::text
  FROM policy AS twin
  JOIN policy AS actual ON actual.relname = twin.relname AND actual.polname = twin.polname
 WHERE twin.relnamespace = pg_my_temp_schema() AND actual.relnamespace = to_regnamespace('ragspine')
   AND actual.definition IS DISTINCT FROM twin.definition
 ORDER BY 1, 2
