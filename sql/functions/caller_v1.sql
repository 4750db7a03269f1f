-- Who the transaction's grant stands for, and what it may read: the grant verified once. Owner only: its functions call it
-- once each, since listing the classes takes as long as there are many (0.3 ms for 1,000). admits_v1 asks for one.
--
-- Returns one row: state, tenant_no and principals as granted_v1 gives them, and the classes that they may read, sorted; none
--         without a valid grant or without a principal.
--
-- Open classes for any principal of the tenant, and the classes that name one of the principals. The readable labels are
-- listed, so that an unknown label would be as unreadable as RESTRICTED.
-- Both are found by key, whatever classes there are besides: that is what the settings are for, and coalesce, which no index
-- answers (PostgreSQL 18 would look for each label behind each class).
CREATE FUNCTION ragspine.caller_v1(OUT state text, OUT tenant_no integer, OUT principals text[], OUT classes integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
  granted CONSTANT record := ragspine.granted_v1();
BEGIN
  state := granted.state;
  tenant_no := granted.tenant_no;
  principals := granted.principals;
  classes := '{}';
  IF granted.tenant_no IS NULL OR cardinality(granted.principals) = 0 THEN
    RETURN;
  END IF;
  classes := ARRAY(
    SELECT c.acl_class_no
      FROM ragspine.acl_class AS c
     WHERE c.tenant_no = granted.tenant_no AND c.readers_sha256 = ragspine.readers_sha256_v1('{}', true)
       AND c.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL') AND c.open_to_members
    UNION
    SELECT r.acl_class_no
      FROM ragspine.acl_reader AS r
     WHERE r.tenant_no = granted.tenant_no AND r.principal = ANY (granted.principals)
       AND coalesce(r.sensitivity, '') IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
    ORDER BY 1);
END
$$;

COMMENT ON FUNCTION ragspine.caller_v1() IS 'Who the transaction''s grant stands for, and what it may read.';
