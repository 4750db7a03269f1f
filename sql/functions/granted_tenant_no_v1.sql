-- The tenant of the transaction's grant; null without a valid one. Row-level security calls it once a statement.
CREATE FUNCTION ragspine.granted_tenant_no_v1()
RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT g.tenant_no FROM ragspine.granted_v1() AS g
$$;

COMMENT ON FUNCTION ragspine.granted_tenant_no_v1() IS 'Tenant number of the transaction''s grant, or null.';
