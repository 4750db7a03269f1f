-- What document_field must hold for a document: the keys of its declared fields' values. Called by ingest.
--
-- metadata: the document's; tenant_no and library_no: where it belongs.
-- Returns   field number and key, each pair once, in no order; nothing for fields that are missing or of another type.
CREATE FUNCTION ragspine.document_field_keys_v1(metadata jsonb, tenant_no integer, library_no integer)
RETURNS TABLE (field_no integer, key text)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN QUERY
    SELECT f.field_no, k.key
      FROM ragspine.library_field AS f,
           unnest(ragspine.field_keys_v1(document_field_keys_v1.metadata -> f.name, f.type)) AS k (key)
     WHERE f.tenant_no = document_field_keys_v1.tenant_no AND f.library_no = document_field_keys_v1.library_no;
END
$$;

COMMENT ON FUNCTION ragspine.document_field_keys_v1(jsonb, integer, integer)
  IS 'The keys document_field holds for a document''s declared fields.';
