-- Text, attribution and rights of chunks that the legs found, in the order asked for.
--
-- version_nos, chunk_nos: the chunks, in parallel arrays.
-- expand:  'parent' to add each chunk's parent window, else null. A window longer than 8,000 code points is shown in part:
--          that many around the chunk. The stored window, and its span and hash, stay whole.
-- Returns  a row for each chunk that the caller may read; place counts the arrays from 1. reader_principals are those of
--          the caller's principals that the chunk's class names, for the exits to judge by.
--
-- OFFSET 0 keeps the order of the look-ups, each by key from the chunk on, whatever the planner knows of sizes: of 10,000
-- classes it would read all for each chunk (6 s).
-- SECURITY DEFINER, owned by ragspine_gate (ADR 0007): readers have no right on the tables, since EXPLAIN and counters tell of
-- rows that row-level security holds back. The gate owns nothing else and is bound by the policies, so they stand behind
-- the explicit conditions below, which judge by the class's own row what the policies ask admits_v1. Where that role is
-- missing the owner's right serves, without them. A number that belongs to somebody else's chunk gives no row.
CREATE FUNCTION ragspine.read_passages_v1(version_nos integer[], chunk_nos bigint[], expand text DEFAULT NULL)
RETURNS TABLE (
  place integer, tenant text, library_id text, document_id text, chunk_id text, index_version integer,
  title text, source_uri text, metadata jsonb, sensitivity text, open_to_members boolean, reader_principals text[],
  span_start integer, span_end integer, slice_sha256 text, text text,
  window_start integer, window_end integer, window_sha256 text, window_text text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
DECLARE
  granted CONSTANT record := ragspine.granted_v1();
BEGIN
  IF granted.state <> 'valid' THEN  -- it ran out since the legs: an error, not a result without its hits
    RAISE EXCEPTION 'the grant does not verify: %', granted.state USING ERRCODE = 'RS008';
  END IF;
  IF expand IS NOT NULL AND expand <> 'parent' THEN
    RAISE EXCEPTION 'expand is null or ''parent''' USING ERRCODE = 'RS006';
  END IF;
  RETURN QUERY
    SELECT n.place::integer, t.tenant, l.library_id, d.document_id, c.chunk_id, v.version,
           d.title, d.source_uri, d.metadata, a.sensitivity, a.open_to_members, a.reader_principals,
           c.span_start, c.span_end, c.slice_sha256, c.text,
           w.span_start, w.span_end, w.slice_sha256,
           ragspine.document_slice_v1(w.tenant_no, w.document_no, shown.first, shown.first + shown.length)
      FROM unnest(version_nos, chunk_nos) WITH ORDINALITY AS n(version_no, chunk_no, place)
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.chunk AS c
                          WHERE c.tenant_no = granted.tenant_no AND c.version_no = n.version_no AND c.chunk_no = n.chunk_no
                         OFFSET 0) AS c
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.document AS d
                          WHERE d.tenant_no = c.tenant_no AND d.document_no = c.document_no
                         OFFSET 0) AS d
     CROSS JOIN LATERAL (SELECT a.sensitivity, a.open_to_members,
                                ARRAY(SELECT r.principal
                                        FROM ragspine.acl_reader AS r
                                       WHERE r.tenant_no = a.tenant_no AND r.acl_class_no = a.acl_class_no
                                         AND r.principal = ANY (granted.principals)
                                       ORDER BY r.principal) AS reader_principals
                           FROM ragspine.acl_class AS a
                          WHERE a.tenant_no = d.tenant_no AND a.acl_class_no = d.acl_class_no
                         OFFSET 0) AS a
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.index_version AS v
                          WHERE v.tenant_no = c.tenant_no AND v.version_no = c.version_no
                         OFFSET 0) AS v
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.library AS l
                          WHERE l.tenant_no = d.tenant_no AND l.library_no = d.library_no
                         OFFSET 0) AS l
      JOIN ragspine.tenant AS t ON t.tenant_no = d.tenant_no
      LEFT JOIN LATERAL (SELECT *
                           FROM ragspine.parent_window AS w
                          WHERE expand = 'parent' AND w.tenant_no = c.tenant_no AND w.version_no = c.version_no
                            AND w.window_no = c.window_no AND w.document_no = c.document_no
                         OFFSET 0) AS w ON true
     CROSS JOIN LATERAL ragspine.place_window_v1(w.span_start, w.span_end, c.span_start, c.span_end) AS shown
     WHERE a.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
       AND (a.open_to_members AND cardinality(granted.principals) > 0 OR cardinality(a.reader_principals) > 0)
     ORDER BY n.place;
END
$$;

COMMENT ON FUNCTION ragspine.read_passages_v1(integer[], bigint[], text) IS 'Text, attribution and rights of found chunks.';
