-- A document's metadata, if the transaction's grant can read it: for explain.
--
-- library_id, document_id: names of the grant's tenant.
-- Returns  the metadata, or null when there is no such document that the caller may read.
--
-- SECURITY DEFINER, owned by ragspine_gate: see read_passages_v1.
CREATE FUNCTION ragspine.find_document_v1(library_id text, document_id text)
RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
  SELECT d.metadata
    FROM ragspine.library AS l
    JOIN ragspine.document AS d ON d.tenant_no = l.tenant_no AND d.library_no = l.library_no
   WHERE l.tenant_no = (SELECT ragspine.granted_tenant_no_v1())
     AND l.library_id = find_document_v1.library_id
     AND d.document_id = find_document_v1.document_id
     AND ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), d.tenant_no, d.acl_class_no)
$$;

COMMENT ON FUNCTION ragspine.find_document_v1(text, text) IS 'Metadata of a document that the grant can read.';
