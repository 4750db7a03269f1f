-- The library of a version that may be searched: published or retired, with a document of the given classes in it; else null.
--
-- A version with nothing to read, one of another tenant and none at all are one and the same, and take the same work: one
-- look-up by tenant and number, which another tenant's number does not pass. Owner only.
CREATE FUNCTION ragspine.readable_library_no_v1(tenant_no integer, version_no integer, classes integer[])
RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT v.library_no
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = readable_library_no_v1.tenant_no AND v.version_no = readable_library_no_v1.version_no
     AND v.state IN ('published', 'retired')
     AND ragspine.reads_library_v1(v.tenant_no, v.library_no, classes)
$$;

COMMENT ON FUNCTION ragspine.readable_library_no_v1(integer, integer, integer[]) IS 'The library of a version that may be searched.';
