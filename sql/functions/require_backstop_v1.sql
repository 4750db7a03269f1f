-- Refuses a login under which row-level security is no backstop: one that is, or can become, a superuser, the owner, a role
-- that bypasses it, or a holder of the ingest authority. The login is judged as well as the role it has taken on.
--
-- Returns the query's warnings: 'backstop_off' where the application asked for one login for everything (setting
-- ragspine.single_login), else none. Raises RS007. SECURITY INVOKER: it judges who calls.
CREATE FUNCTION ragspine.require_backstop_v1()
RETURNS text[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  held CONSTANT boolean := row_security_active('ragspine.chunk')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r
                     WHERE (r.rolsuper OR r.rolbypassrls OR r.rolname IN ('ragspine_ingest', 'ragspine_gate')
                            OR r.oid = (SELECT c.relowner FROM pg_catalog.pg_class AS c
                                         WHERE c.oid = 'ragspine.chunk'::regclass))
                       AND (pg_has_role(session_user, r.oid, 'MEMBER') OR pg_has_role(current_user, r.oid, 'MEMBER')));
BEGIN
  IF held THEN
    RETURN '{}';
  END IF;
  IF current_setting('ragspine.single_login', true) = 'on' THEN
    RETURN '{backstop_off}';
  END IF;
  RAISE EXCEPTION 'this login can read past row-level security: search with a login that is a member of ragspine_reader '
                  'alone (`ragspine-pg doctor` says what else this one is)' USING ERRCODE = 'RS007';
END
$$;

COMMENT ON FUNCTION ragspine.require_backstop_v1() IS 'Refuse a login that row-level security does not bind.';
