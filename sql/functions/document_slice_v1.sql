-- The slice [slice_start, slice_end) of a document's stored text, in code points, read from its pages of 8192.
--
-- Under the caller's own rights: null for a document it may not read.
CREATE FUNCTION ragspine.document_slice_v1(tenant_no integer, document_no bigint, slice_start integer, slice_end integer)
RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT substr(string_agg(p.text, '' ORDER BY p.page_no), slice_start % 8192 + 1, slice_end - slice_start)
    FROM ragspine.document_page AS p
   WHERE p.tenant_no = document_slice_v1.tenant_no AND p.document_no = document_slice_v1.document_no
     AND p.page_no BETWEEN slice_start / 8192 AND greatest(slice_end - 1, slice_start) / 8192
$$;

COMMENT ON FUNCTION ragspine.document_slice_v1(integer, bigint, integer, integer) IS 'A slice of a stored document.';
