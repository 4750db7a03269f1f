-- The libraries in which the transaction's grant can read a document, as numbers, sorted. Owner only.
CREATE FUNCTION ragspine.readable_library_nos_v1()
RETURNS integer[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
  tenant CONSTANT integer := caller.tenant_no;
  classes CONSTANT integer[] := caller.classes;
BEGIN
  RETURN ARRAY(
    SELECT l.library_no
      FROM ragspine.library AS l
     CROSS JOIN LATERAL (SELECT FROM ragspine.document AS d
                          WHERE d.tenant_no = l.tenant_no AND d.library_no = l.library_no
                            AND d.acl_class_no = ANY (classes)
                          LIMIT 1) AS readable
     WHERE l.tenant_no = tenant
     ORDER BY l.library_no);
END
$$;

COMMENT ON FUNCTION ragspine.readable_library_nos_v1() IS 'Numbers of the libraries in which the grant can read a document.';
