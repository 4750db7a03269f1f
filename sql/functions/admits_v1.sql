-- Whether a verified grant may read what is of an access class: the condition that row-level security puts on every row.
--
-- granted: a row of granted_v1, verified once a statement by the policy's sub-select.
-- It asks for one class by key: a caller may be let into a hundred thousand classes, and a list of them for each table
-- of a statement takes far longer than looking up the few rows that are handed out (docs/adr/0011).
--
-- Label and readers are both read and then judged, so that the work tells no label. The readable labels are listed, so that an
-- unknown one would be as unreadable as RESTRICTED.
-- SECURITY DEFINER: classes and their readers are for nobody to list. It believes its first argument, so nobody may call it
-- but those whom policies bind: a reader could make up a grant and ask who is let in where.
CREATE FUNCTION ragspine.admits_v1(granted record, tenant_no integer, acl_class_no integer)
RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
DECLARE
  class record;
BEGIN
  IF tenant_no IS DISTINCT FROM granted.tenant_no THEN
    RETURN false;
  END IF;
  SELECT c.sensitivity, c.open_to_members,
         EXISTS (SELECT FROM ragspine.acl_reader AS r
                  WHERE r.tenant_no = c.tenant_no AND r.acl_class_no = c.acl_class_no
                    AND r.principal = ANY (granted.principals)) AS named
    INTO class
    FROM ragspine.acl_class AS c
   WHERE c.tenant_no = admits_v1.tenant_no AND c.acl_class_no = admits_v1.acl_class_no;
  RETURN coalesce(class.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
                  AND (class.named OR class.open_to_members AND cardinality(granted.principals) > 0), false);
END
$$;

COMMENT ON FUNCTION ragspine.admits_v1(record, integer, integer) IS 'Whether a verified grant may read an access class.';
