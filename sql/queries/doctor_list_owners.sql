-- Who owns functions of schema ragspine.
--
-- params: names. Returns one row a function of these names: its signature as ALTER FUNCTION takes it, its owner.
SELECT format('ragspine.%%I(%%s)', p.proname, pg_get_function_identity_arguments(p.oid)), pg_get_userbyid(p.proowner)::text
  FROM pg_catalog.pg_proc AS p
  JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
 WHERE n.nspname = 'ragspine' AND p.proname = ANY (%(names)s::text[])
 ORDER BY 1
