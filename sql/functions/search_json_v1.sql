-- Search as one canonical JSON object (RFC 8785): byte for byte what Python's result.to_json() gives.
--
-- Arguments as in ragspine.search. reason: null for k hits, else 'no_grant', 'nothing_readable' (no library of those asked
-- for holds a document the caller may read), 'no_searchable_term' (analysis leaves nothing of the query, and no vector leg
-- ran), 'only_exclusions' (the query looks for nothing), 'required_term_missing' (a demanded word occurs in nothing the caller
-- may read), 'no_match', or 'fewer_matches' than k. cursor: for `after`, null where there are fewer hits than k. warnings:
-- 'backstop_off' (require_backstop_v1), 'library_without_readable_documents:<id>' for each of `libraries` that is unknown or
-- holds nothing to read, beside others that were searched (on a first page), 'no_parent_window' where windows were asked for
-- and no hit has one, 'weights_without_effect' where legs are weighed and no library is searched by both.
CREATE FUNCTION ragspine.search_json_v1(
  query text, k integer, libraries text[], filter jsonb, query_embedding @vector@.vector, query_space text, mode text,
  expand text, min_score double precision, fusion jsonb, after text)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET extra_float_digits = 1  -- scores become jsonb by way of text: keep all their digits, whatever the session says
AS $$
DECLARE
  request CONSTANT jsonb := ragspine.search_request_v1(query, mode, min_score, fusion);
  before CONSTANT jsonb := ragspine.read_cursor_v1(after, request);
  embedded CONSTANT boolean := query_embedding IS NOT NULL OR query_space IS NOT NULL;
  warnings text[] := ragspine.require_backstop_v1();
  granted record;
  versions jsonb;
  searched integer[];
  unmet text;
  hits jsonb;
  shown jsonb;
  lexical boolean;
  vector boolean;
  fused boolean;
  found integer;
BEGIN
  SELECT jsonb_agg(jsonb_build_object(
           'rank', h.rank, 'score', h.score, 'tenant', h.tenant, 'library_id', h.library_id, 'document_id', h.document_id,
           'chunk_id', h.chunk_id, 'index_version', h.index_version, 'locator', h.locator,
           'parent_locator', h.parent_locator, 'title', h.title, 'source_uri', h.source_uri, 'text', h.text,
           'window_text', h.window_text, 'metadata', h.metadata, 'sensitivity', h.sensitivity,
           'scores', jsonb_strip_nulls(jsonb_build_object('lexical', h.lexical_score, 'vector', h.vector_score)),
           'ranks', jsonb_strip_nulls(jsonb_build_object('lexical', h.lexical_rank, 'vector', h.vector_rank))) ORDER BY h.rank)
    INTO hits
    FROM ragspine.search_hits_v1(
           query, k, libraries, filter, CASE WHEN embedded THEN ARRAY[query_space] END,
           CASE WHEN embedded THEN ARRAY[query_embedding] END, mode, expand, min_score, fusion, before) AS h;
  granted := ragspine.granted_v1();
  IF granted.state = 'valid' THEN
    SELECT jsonb_object_agg(l.library_id, l.version), array_agg(l.version_no),
           bool_or(m.lexical), bool_or(m.vector), bool_or(m.lexical AND m.vector)
      INTO versions, searched, lexical, vector, fused
      FROM ragspine.readable_libraries_v1(libraries, before -> 'versions') AS l
     CROSS JOIN LATERAL ragspine.require_mode_v1(mode, l.space IS NOT NULL, embedded) AS m;
  END IF;
  found := coalesce(jsonb_array_length(hits), 0);
  warnings := warnings
    || ARRAY(SELECT 'library_without_readable_documents:' || n.name
               FROM unnest(libraries) WITH ORDINALITY AS n(name, place)
              WHERE before IS NULL AND NOT versions ? n.name
              GROUP BY n.name
              ORDER BY min(n.place))
    || ARRAY(SELECT 'no_parent_window'
              WHERE expand = 'parent' AND found > 0 AND NOT jsonb_path_exists(hits, '$[*] ? (@.window_text != "")'))
    || ARRAY(SELECT 'weights_without_effect' WHERE fusion ? 'weights' AND NOT fused);
  IF found = 0 THEN
    unmet := ragspine.search_reason_v1(searched, query);
  END IF;
  IF found = k THEN
    SELECT jsonb_object_agg(s.library_id, s.chunks) INTO shown
      FROM (SELECT library_id, coalesce(before -> 'shown' -> library_id, '[]')
                     || coalesce(jsonb_agg(h.hit -> 'chunk_id' ORDER BY h.hit -> 'rank') FILTER (WHERE h.hit IS NOT NULL), '[]') AS chunks
              FROM (SELECT h.hit ->> 'library_id' AS library_id, h.hit FROM jsonb_array_elements(hits) AS h(hit)
                     UNION ALL
                    SELECT s.library_id, NULL FROM jsonb_object_keys(before -> 'shown') AS s(library_id)) AS h
             GROUP BY library_id) AS s;
  END IF;
  RETURN ragspine.canonical_json_v1(jsonb_build_object(
    'query', query,
    'mode', CASE WHEN versions IS NULL AND mode <> 'auto' THEN mode
                 WHEN NOT coalesce(vector, false) THEN 'economy'
                 WHEN lexical THEN 'hybrid'
                 ELSE 'vector' END,
    'index_versions', coalesce(versions, '{}'),
    'hits', coalesce(hits, '[]'),
    'reason', CASE
      WHEN found = k THEN NULL
      WHEN found > 0 OR before IS NOT NULL THEN 'fewer_matches'
      WHEN granted.state <> 'valid' THEN 'no_grant'
      WHEN versions IS NULL THEN 'nothing_readable'
      WHEN unmet IS NOT NULL AND NOT (vector AND unmet = 'no_searchable_term') THEN unmet
      ELSE 'no_match' END,
    'warnings', to_jsonb(warnings),
    'cursor', CASE WHEN found = k THEN ragspine.write_cursor_v1(request, versions, shown) END));
END
$$;

COMMENT ON FUNCTION ragspine.search_json_v1(
  text, integer, text[], jsonb, @vector@.vector, text, text, text, double precision, jsonb, text)
  IS 'Search as one canonical JSON object.';
