-- Whether a locator's span of a stored document is, character for character, what was indexed.
--
-- library_id, document_id: names of the grant's tenant. locator: `char=START,END;sha256=HEX`.
-- Returns  true or false; null when there is no such document that the caller may read, or it is no locator.
--
-- SECURITY DEFINER, owned by ragspine_gate: see read_passages_v1.
CREATE FUNCTION ragspine.verify_locator_v1(library_id text, document_id text, locator text)
RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
  SELECT s.span_end <= d.text_length AND s.span_start <= s.span_end
         AND encode(sha256(convert_to(
               coalesce(ragspine.document_slice_v1(d.tenant_no, d.document_no, s.span_start::integer, s.span_end::integer), ''),
               'UTF8')), 'hex') = s.digest
    FROM (SELECT m[1]::bigint AS span_start, m[2]::bigint AS span_end, m[3] AS digest
            FROM regexp_match(locator, '^char=(0|[1-9][0-9]{0,8}),(0|[1-9][0-9]{0,8});sha256=([0-9a-f]{64})$') AS m
           WHERE m IS NOT NULL) AS s
    JOIN ragspine.library AS l
      ON l.tenant_no = (SELECT ragspine.granted_tenant_no_v1()) AND l.library_id = verify_locator_v1.library_id
    JOIN ragspine.document AS d
      ON d.tenant_no = l.tenant_no AND d.library_no = l.library_no AND d.document_id = verify_locator_v1.document_id
     AND ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), d.tenant_no, d.acl_class_no)
$$;

COMMENT ON FUNCTION ragspine.verify_locator_v1(text, text, text) IS 'Whether a locator holds in a document that the grant can read.';
