-- The libraries in which the transaction's grant can read a document, with the version to search, by library id.
--
-- libraries: ids to choose among, null for all; unknown ones are left out, like those with nothing to read.
-- versions:  library id to version, as a cursor holds them: those libraries in those versions; null for the published ones.
-- Returns    beside the version its analyzer, the declared fields (name to type), the fingerprint of its embedding space and
--            the model that fills it (both null without one), and its fusion defaults (null without any).
-- Raises RS003 when a version was built under another server major version or locale: its lexemes would not match; RS006 when
--            a version of the cursor is no longer kept.
-- SECURITY DEFINER: profile and environment are no reader's business, but for what is returned.
CREATE FUNCTION ragspine.readable_libraries_v1(libraries text[], versions jsonb DEFAULT NULL)
RETURNS TABLE (
  library_id text, version integer, version_no integer, analyzer text, fields jsonb, space text, embedding jsonb, fusion jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
DECLARE
  caller CONSTANT record := ragspine.caller_v1();
  tenant CONSTANT integer := caller.tenant_no;
  classes CONSTANT integer[] := caller.classes;
  here CONSTANT text := ragspine.environment_v1();
  wanted CONSTANT text[] := coalesce(libraries, ARRAY(
    SELECT l.library_id FROM ragspine.library AS l WHERE l.tenant_no = tenant));
  found record;
BEGIN
  FOR found IN
    SELECT l.library_id, v.version, v.version_no, v.analyzer, v.environment, s.fingerprint, v.profile -> 'embedding' AS embedding,
           v.profile -> 'fusion' AS fusion,
           (SELECT coalesce(jsonb_object_agg(f.name, f.type), '{}')
              FROM ragspine.library_field AS f
             WHERE f.tenant_no = l.tenant_no AND f.library_no = l.library_no) AS fields
      FROM ragspine.library AS l
      LEFT JOIN ragspine.index_version AS v
        ON v.tenant_no = l.tenant_no AND v.library_no = l.library_no
       AND CASE WHEN versions IS NULL THEN v.state = 'published'
                ELSE v.state IN ('published', 'retired') AND to_jsonb(v.version) = versions -> l.library_id END
      LEFT JOIN ragspine.embedding_space AS s ON s.tenant_no = v.tenant_no AND s.space_no = v.space_no
     WHERE l.tenant_no = tenant
       AND l.library_id = ANY (wanted)
       AND ragspine.reads_library_v1(l.tenant_no, l.library_no, classes)
       AND (versions IS NULL OR versions ? l.library_id)
     ORDER BY l.library_id
  LOOP
    IF found.version IS NULL THEN
      RAISE EXCEPTION 'an index version of the cursor is no longer kept: search again from the start' USING ERRCODE = 'RS006';
    END IF;
    IF found.environment <> here THEN
      RAISE EXCEPTION 'an index version was built under % and this server is %: rebuild the library', found.environment, here
        USING ERRCODE = 'RS003';
    END IF;
    library_id := found.library_id;
    version := found.version;
    version_no := found.version_no;
    analyzer := found.analyzer;
    fields := found.fields;
    space := found.fingerprint;
    embedding := found.embedding;
    fusion := found.fusion;
    RETURN NEXT;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.readable_libraries_v1(text[], jsonb) IS 'Libraries with something to read, and the version to search.';
