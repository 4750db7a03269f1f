-- A search, whole: legs, fusion, passages and the exit, in one call and one snapshot.
--
-- Arguments as in ragspine.search, but for spaces and embeddings: the query in each of the spaces that are searched.
-- Returns one row a hit with all that a hit says, in order of rank.
--
-- One ranking stays as it is, its score the leg's. Several (of legs, of libraries) are fused: by reciprocal rank, the sum of
-- weight / (60 + rank) (Cormack, Clarke and Buettcher 2009), or, if asked, by the convex sum of scores that are first spread
-- from 0 to 1 within their ranking (Bruch, Gai and Ingber 2023), the legs' weights scaled to a sum of 1. Ties by the best
-- rank, library id and chunk id in code-point order. Where both legs run, each goes at least 100 deep, and for a convex sum
-- 1,000 (see FUSED_DEPTH in ragspine_pg/retrieval/rank.py).
-- The last WHERE is the exit `link`: it judges each passage by the rights that came with it, apart from what the legs did.
-- SECURITY INVOKER: it raises RS007 for a login that row-level security does not bind (require_backstop_v1).
CREATE FUNCTION ragspine.search_hits_v1(
  query text, k integer, libraries text[], filter jsonb, spaces text[], embeddings @vector@.vector[], mode text, expand text,
  min_score double precision, fusion jsonb, after jsonb)
RETURNS TABLE (
  rank integer, score double precision, tenant text, library_id text, document_id text, chunk_id text,
  index_version integer, locator text, parent_locator text, title text, source_uri text, text text, window_text text,
  metadata jsonb, sensitivity text, lexical_score double precision, lexical_rank integer, vector_score double precision,
  vector_rank integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  granted CONSTANT record := ragspine.granted_v1();
  shown CONSTANT integer := coalesce(
    (SELECT sum(jsonb_array_length(s.chunks)) FROM jsonb_each(after -> 'shown') AS s(library, chunks)), 0);
  readable jsonb;  -- the libraries and their legs, found once: each call lists the caller's classes anew
  hybrid boolean;
  rankings bigint;
  method text;
  weight double precision;
  depth integer;
  least_lexical double precision;
  least_vector double precision;
BEGIN
  PERFORM ragspine.require_backstop_v1();
  PERFORM ragspine.check_search_v1(query, k, expand, min_score);
  PERFORM ragspine.require_fusion_v1(fusion);
  IF k + shown > 1000 THEN
    RAISE EXCEPTION 'a result is paged to 1000 hits' USING ERRCODE = 'RS006';
  END IF;
  IF granted.state <> 'valid' THEN
    RAISE NOTICE 'no rows: the grant is %; call ragspine.assume in this transaction first', granted.state;
    RETURN;
  END IF;
  PERFORM ragspine.require_mode_v1(mode, true, true);
  SELECT jsonb_agg(to_jsonb(l) || to_jsonb(m)), coalesce(bool_or(m.lexical AND m.vector), false),
         sum(m.lexical::integer + m.vector::integer),
         coalesce(search_hits_v1.fusion ->> 'method',
                  CASE WHEN count(DISTINCT coalesce(l.fusion ->> 'method', 'rrf')) = 1 THEN min(l.fusion ->> 'method') END,
                  'rrf'),
         sum(w.lexical_weight + w.vector_weight)
    INTO readable, hybrid, rankings, method, weight
    FROM ragspine.readable_libraries_v1(libraries, after -> 'versions') AS l
   CROSS JOIN LATERAL ragspine.require_mode_v1(mode, l.space IS NOT NULL, embeddings IS NOT NULL) AS m
   CROSS JOIN LATERAL ragspine.leg_weights_v1(
     search_hits_v1.fusion, l.fusion, 'rrf', l.library_id, m.lexical, m.vector) AS w;
  IF rankings > 1 AND weight = 0 THEN
    RAISE EXCEPTION 'all rankings that are fused weigh 0' USING ERRCODE = 'RS006';
  END IF;
  IF min_score IS NOT NULL AND hybrid THEN
    RAISE EXCEPTION 'min_score is of one leg, and two run: name the leg, as in fusion.min_scores' USING ERRCODE = 'RS006';
  END IF;
  least_lexical := coalesce(min_score, (fusion #> '{min_scores,lexical}')::double precision);
  least_vector := coalesce(min_score, (fusion #> '{min_scores,vector}')::double precision);
  depth := CASE WHEN NOT hybrid THEN k + shown
                WHEN method = 'rrf' THEN greatest(k + shown, 100)
                ELSE 1000 END;
  RETURN QUERY
    WITH searched AS MATERIALIZED (
      SELECT l.library_id, l.version_no, l.space, l.lexical, l.vector, w.lexical_weight, w.vector_weight
        FROM jsonb_to_recordset(readable)
          AS l(library_id text, version_no integer, space text, fusion jsonb, lexical boolean, vector boolean)
       CROSS JOIN LATERAL ragspine.leg_weights_v1(
         search_hits_v1.fusion, l.fusion, method, l.library_id, l.lexical, l.vector) AS w
    ), ranked AS MATERIALIZED (
      SELECT s.library_id, s.version_no, g.chunk_no, g.chunk_id, g.rank AS lexical_rank, g.score AS lexical_score,
             NULL::integer AS vector_rank, NULL::double precision AS vector_score
        FROM (SELECT * FROM searched AS s WHERE s.lexical OFFSET 0) AS s
       CROSS JOIN LATERAL ragspine.lexical_leg_v1(s.version_no, query, depth, filter, least_lexical) AS g
       UNION ALL
      SELECT s.library_id, s.version_no, g.chunk_no, g.chunk_id, NULL, NULL, g.rank, g.score
        FROM (SELECT * FROM searched AS s WHERE s.vector OFFSET 0) AS s
        LEFT JOIN unnest(spaces, embeddings) AS e(space, embedding) ON e.space = s.space
       CROSS JOIN LATERAL ragspine.vector_leg_v1(
         s.version_no, coalesce(e.space, spaces[1]), coalesce(e.embedding, embeddings[1]), depth, filter, least_vector,
         query) AS g
    ), spread AS (
      SELECT r.*, s.lexical_weight, s.vector_weight,
             min(r.lexical_score) OVER library AS lexical_least, max(r.lexical_score) OVER library AS lexical_most,
             min(r.vector_score) OVER library AS vector_least, max(r.vector_score) OVER library AS vector_most
        FROM ranked AS r
        JOIN searched AS s ON s.library_id = r.library_id
      WINDOW library AS (PARTITION BY r.library_id)
    ), weighed AS (
      SELECT s.*,
             CASE WHEN s.lexical_rank IS NULL THEN NULL
                  WHEN method = 'rrf' THEN s.lexical_weight / (60 + s.lexical_rank)
                  WHEN s.lexical_most = s.lexical_least THEN s.lexical_weight
                  ELSE s.lexical_weight * ((s.lexical_score - s.lexical_least) / (s.lexical_most - s.lexical_least))
                  END AS lexical_part,
             CASE WHEN s.vector_rank IS NULL THEN NULL
                  WHEN method = 'rrf' THEN s.vector_weight / (60 + s.vector_rank)
                  WHEN s.vector_most = s.vector_least THEN s.vector_weight
                  ELSE s.vector_weight * ((s.vector_score - s.vector_least) / (s.vector_most - s.vector_least))
                  END AS vector_part
        FROM spread AS s
    ), fused AS MATERIALIZED (
      SELECT f.*, row_number() OVER (ORDER BY f.score DESC, f.best, f.library_id COLLATE "C", f.chunk_id COLLATE "C")::integer AS place
        FROM (SELECT r.library_id, r.version_no, r.chunk_no, r.chunk_id,
                     max(r.lexical_score) AS lexical_score, max(r.lexical_rank) AS lexical_rank,
                     max(r.vector_score) AS vector_score, max(r.vector_rank) AS vector_rank,
                     least(min(r.lexical_rank), min(r.vector_rank)) AS best,
                     CASE WHEN rankings = 1 THEN coalesce(max(r.lexical_score), max(r.vector_score))
                          ELSE coalesce(max(r.lexical_part), 0) + coalesce(max(r.vector_part), 0) END AS score
                FROM weighed AS r
               GROUP BY r.library_id, r.version_no, r.chunk_no, r.chunk_id) AS f
       WHERE NOT coalesce(after -> 'shown' -> f.library_id ? f.chunk_id, false)
       ORDER BY place
       LIMIT k
    )
    SELECT shown + row_number() OVER (ORDER BY f.place)::integer, f.score, p.tenant, p.library_id, p.document_id, p.chunk_id,
           p.index_version, ragspine.locator_v1(p.span_start, p.span_end, p.slice_sha256),
           coalesce(ragspine.locator_v1(p.window_start, p.window_end, p.window_sha256), ''),
           p.title, p.source_uri, p.text, coalesce(p.window_text, ''), p.metadata, p.sensitivity,
           f.lexical_score, f.lexical_rank, f.vector_score, f.vector_rank
      FROM ragspine.read_passages_v1(
             ARRAY(SELECT f.version_no FROM fused AS f ORDER BY f.place),
             ARRAY(SELECT f.chunk_no FROM fused AS f ORDER BY f.place), expand) AS p
      JOIN (SELECT f.*, row_number() OVER (ORDER BY f.place) AS position FROM fused AS f) AS f ON f.position = p.place
     WHERE p.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')
       AND CASE WHEN p.open_to_members THEN cardinality(granted.principals) > 0
                ELSE p.reader_principals && granted.principals END
       AND encode(sha256(convert_to(p.text, 'UTF8')), 'hex') = p.slice_sha256
     ORDER BY f.place;
END
$$;

COMMENT ON FUNCTION ragspine.search_hits_v1(
  text, integer, text[], jsonb, text[], @vector@.vector[], text, text, double precision, jsonb, jsonb)
  IS 'A search, whole, with all that a hit says.';
