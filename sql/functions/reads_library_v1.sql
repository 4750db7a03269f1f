-- Whether a library holds a document of one of the given classes. Owner only.
--
-- One look a class into the index of its name, until one is found, however many documents are of other classes. Left to
-- itself, the planner takes a document to be soon found, and walks the library until it meets one (2 ms for 20,000 documents
-- that are another's, with a plan that it flips to at the sixth search of a session). Of the indexes only that one gives the
-- order that is asked for; a class is between itself and itself because its equal would need no order.
CREATE FUNCTION ragspine.reads_library_v1(tenant_no integer, library_no integer, classes integer[])
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
SET enable_sort = off
AS $$
BEGIN
  RETURN EXISTS (
    SELECT
      FROM unnest(classes) AS k(class)
     WHERE (SELECT true
              FROM ragspine.document AS d
             WHERE d.tenant_no = reads_library_v1.tenant_no AND d.library_no = reads_library_v1.library_no
               AND d.acl_class_no BETWEEN k.class AND k.class
             ORDER BY d.acl_class_no
             LIMIT 1));
END
$$;

COMMENT ON FUNCTION ragspine.reads_library_v1(integer, integer, integer[]) IS 'Whether a library holds a document of some classes.';
