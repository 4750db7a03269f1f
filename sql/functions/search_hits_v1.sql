-- A search, whole: legs, fusion, passages and the exit, in one call and one snapshot.
--
-- Arguments as in ragspine.search. Returns one row a hit with all that a hit says, in order of rank.
--
-- With one library the score is the leg's. Several rankings are fused by reciprocal rank (Cormack, Clarke and Buettcher
-- 2009): 1 / (60 + rank), ties by rank, library id and chunk id in code-point order.
-- The last WHERE is the exit `link`: it judges each passage by the rights that came with it, apart from what the legs did.
-- SECURITY INVOKER: it raises RS007 for a login that row-level security does not bind (require_backstop_v1).
CREATE FUNCTION ragspine.search_hits_v1(
  query text, k integer, libraries text[], filter jsonb, mode text, expand text, min_score double precision)
RETURNS TABLE (
  rank integer, score double precision, tenant text, library_id text, document_id text, chunk_id text,
  index_version integer, locator text, parent_locator text, title text, source_uri text, text text, window_text text,
  metadata jsonb, sensitivity text, lexical_score double precision, lexical_rank integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  granted CONSTANT record := ragspine.granted_v1();
BEGIN
  PERFORM ragspine.require_backstop_v1();
  PERFORM ragspine.check_search_v1(query, k, expand, min_score);
  IF granted.state <> 'valid' THEN
    RAISE NOTICE 'no rows: the grant is %; call ragspine.assume in this transaction first', granted.state;
    RETURN;
  END IF;
  PERFORM ragspine.require_mode_v1(mode);
  RETURN QUERY
    WITH searched AS MATERIALIZED (
      SELECT l.library_id, l.version_no, count(*) OVER () AS libraries FROM ragspine.readable_libraries_v1(libraries) AS l
    ), fused AS MATERIALIZED (
      SELECT s.version_no, g.chunk_no, g.score AS lexical_score, g.rank AS lexical_rank, f.score,
             row_number() OVER (
               ORDER BY f.score DESC, g.rank, s.library_id COLLATE "C", g.chunk_id COLLATE "C")::integer AS rank
        FROM searched AS s
       CROSS JOIN LATERAL ragspine.lexical_leg_v1(s.version_no, query, k, filter, min_score) AS g
       CROSS JOIN LATERAL (SELECT CASE WHEN s.libraries = 1 THEN g.score
                                       ELSE 1 / (60 + g.rank)::double precision END AS score) AS f
       ORDER BY rank
       LIMIT k
    )
    SELECT row_number() OVER (ORDER BY f.rank)::integer, f.score, p.tenant, p.library_id, p.document_id, p.chunk_id,
           p.index_version, ragspine.locator_v1(p.span_start, p.span_end, p.slice_sha256),
           coalesce(ragspine.locator_v1(p.window_start, p.window_end, p.window_sha256), ''),
           p.title, p.source_uri, p.text, coalesce(p.window_text, ''), p.metadata, p.sensitivity,
           f.lexical_score, f.lexical_rank
      FROM ragspine.read_passages_v1(
             ARRAY(SELECT f.version_no FROM fused AS f ORDER BY f.rank),
             ARRAY(SELECT f.chunk_no FROM fused AS f ORDER BY f.rank), expand) AS p
      JOIN fused AS f ON f.rank = p.place
     WHERE p.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
       AND CASE WHEN p.open_to_members THEN cardinality(granted.principals) > 0
                ELSE p.reader_principals && granted.principals END
       AND encode(sha256(convert_to(p.text, 'UTF8')), 'hex') = p.slice_sha256
     ORDER BY f.rank;
END
$$;

COMMENT ON FUNCTION ragspine.search_hits_v1(text, integer, text[], jsonb, text, text, double precision)
  IS 'A search, whole, with all that a hit says.';
