-- Who the transaction's grant stands for, and what it may read: the grant verified once. Owner's functions call it; see
-- granted_v1 and visible_classes_v1 for its parts.
--
-- Returns one row: state, tenant_no and principals as granted_v1 gives them, and the classes that they may read, sorted; none
--         without a valid grant or without a principal.
--
-- Open classes for any principal of the tenant, and the classes that name one of the principals. The readable labels are
-- listed, so that an unknown label would be as unreadable as RESTRICTED.
-- SECURITY DEFINER: the caller sees only those rows of acl_class and acl_reader that this very function lets through.
CREATE FUNCTION ragspine.caller_v1(OUT state text, OUT tenant_no integer, OUT principals text[], OUT classes integer[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
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
     WHERE c.tenant_no = granted.tenant_no AND c.open_to_members
       AND c.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
    UNION
    SELECT c.acl_class_no
      FROM ragspine.acl_reader AS r
      JOIN ragspine.acl_class AS c ON c.tenant_no = r.tenant_no AND c.acl_class_no = r.acl_class_no
     WHERE r.tenant_no = granted.tenant_no AND r.principal = ANY (granted.principals)
       AND c.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
    ORDER BY 1);
END
$$;

COMMENT ON FUNCTION ragspine.caller_v1() IS 'Who the transaction''s grant stands for, and what it may read.';
