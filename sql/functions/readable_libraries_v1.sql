-- The libraries in which the transaction's grant can read a document, with their published version and declared
-- fields (name to type), by library id.
--
-- libraries: ids to choose among, null for all; unknown ones are left out, like those with nothing to read.
-- Raises RS003 when a version was built under another server major version or locale: its lexemes would not match.
-- SECURITY DEFINER: profile and environment are no reader's business.
CREATE FUNCTION ragspine.readable_libraries_v1(libraries text[])
RETURNS TABLE (library_id text, version integer, version_no integer, analyzer text, fields jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  tenant CONSTANT integer := ragspine.granted_tenant_no_v1();
  classes CONSTANT integer[] := ragspine.visible_classes_v1();
  environment CONSTANT text := ragspine.environment_v1();
  found record;
BEGIN
  FOR found IN
    SELECT l.library_id, v.version, v.version_no, v.analyzer, v.environment,
           (SELECT coalesce(jsonb_object_agg(f.name, f.type), '{}')
              FROM ragspine.library_field AS f
             WHERE f.tenant_no = l.tenant_no AND f.library_no = l.library_no) AS fields
      FROM ragspine.library AS l
      JOIN ragspine.index_version AS v
        ON v.tenant_no = l.tenant_no AND v.library_no = l.library_no AND v.state = 'published'
     CROSS JOIN LATERAL (SELECT FROM ragspine.document AS d
                          WHERE d.tenant_no = l.tenant_no AND d.library_no = l.library_no
                            AND d.acl_class_no = ANY (classes)
                          LIMIT 1) AS readable
     WHERE l.tenant_no = tenant
       AND (libraries IS NULL OR l.library_id = ANY (libraries))
     ORDER BY l.library_id
  LOOP
    IF found.environment <> environment THEN
      RAISE EXCEPTION 'an index version was built under % and this server is %: rebuild the library', found.environment, environment
        USING ERRCODE = 'RS003';
    END IF;
    library_id := found.library_id;
    version := found.version;
    version_no := found.version_no;
    analyzer := found.analyzer;
    fields := found.fields;
    RETURN NEXT;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.readable_libraries_v1(text[]) IS 'Libraries with something to read, and their published version.';
