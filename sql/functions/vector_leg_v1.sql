-- The vector leg: the k chunks of a version most similar to a query's vector, among what the transaction's grant may read.
--
-- version_no:      a published or retired version of a library that the grant can read; any other gives no rows, and so does
--                  one without an embedding space.
-- query_space:     the fingerprint of the space that query_embedding lies in; RS006 unless it is the version's.
-- query_embedding: the query's vector.
-- filter:          a metadata filter in its JSON form, or null.
-- min_score:       the least score to return, or null.
-- query:           the query in words: what it demands (read_demands_v1) of a chunk. Its words play no part besides.
-- Returns          chunk number and id, rank from 1, score (larger is more similar) and how it was found ('scan' or 'hnsw');
--                  ties by chunk id in code-point order.
--
-- score: cosine 1 - distance, inner product as it is, l2 1 / (1 + distance); from pgvector's float32 vectors, in float64.
--
-- Exact by a scan of the readable, filtered rows. From 20,000 such rows on the version's HNSW index serves, where the owner
-- has built one (docs/adr/0008: below that a scan takes less than 20 ms): an iterative scan in relaxed order, which loses
-- nothing that strict order would keep, and 400 candidates deep; what it finds is ordered again by exact distance. Finds it
-- fewer than k, the scan decides. The choice depends on readable rows alone.
-- With demands it is a scan that looks each chunk's lexemes up by its key.
-- Access and filter stand in the same statement as the limit, so k is filled while rows qualify.
-- SECURITY DEFINER: vectors belong to the owner. The tenant and the classes come from the verified grant, never from an
-- argument; what leaves is numbers and scores of readable chunks.
CREATE FUNCTION ragspine.vector_leg_v1(
  version_no integer, query_space text, query_embedding @vector@.vector, k integer, filter jsonb DEFAULT NULL,
  min_score double precision DEFAULT NULL, query text DEFAULT '')
RETURNS TABLE (chunk_no bigint, chunk_id text, rank integer, score double precision, strategy text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key; what is run by EXECUTE is planned for its own parameters
AS $$
DECLARE
  index_from CONSTANT bigint := 20000;
  ef_search CONSTANT integer := 400;
  scan_tuples CONSTANT integer := 200000;
  caller CONSTANT record := ragspine.caller_v1();
  tenant CONSTANT integer := caller.tenant_no;
  classes CONSTANT integer[] := caller.classes;
  library CONSTANT integer := ragspine.readable_library_no_v1(tenant, version_no, classes);
  space record;
  passing bigint[];
  demands record;
  held record;
  indexed boolean;
  depth integer;
  settings text[];
  numbers bigint[];
  distances double precision[];
BEGIN
  PERFORM ragspine.check_search_v1(query, k, NULL, min_score);
  SELECT s.fingerprint, s.dimensions, s.distance INTO space
    FROM ragspine.index_version AS v
    JOIN ragspine.embedding_space AS s ON s.tenant_no = v.tenant_no AND s.space_no = v.space_no
   WHERE v.tenant_no = tenant AND v.version_no = vector_leg_v1.version_no AND library IS NOT NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF query_space IS DISTINCT FROM space.fingerprint THEN
    RAISE EXCEPTION 'query_space is not the embedding space of the version searched: embed the query as the library''s '
                    'profile says' USING ERRCODE = 'RS006';
  END IF;
  IF @vector@.vector_dims(query_embedding) IS DISTINCT FROM space.dimensions
     OR @vector@.vector_norm(query_embedding) NOT BETWEEN 1e-15 AND 1e15 THEN
    RAISE EXCEPTION 'query_embedding has % dimensions, is not zero, and has a length from 1e-15 to 1e15', space.dimensions
      USING ERRCODE = 'RS006';
  END IF;
  passing := ragspine.matching_documents_v1(filter, tenant, library, classes);
  demands := ragspine.read_demands_v1(tenant, vector_leg_v1.version_no, classes, query);
  IF demands.unmet IS NOT NULL THEN
    RETURN;
  END IF;
  indexed := NOT demands.made AND EXISTS (SELECT FROM pg_catalog.pg_index AS i
                      WHERE i.indexrelid = to_regclass('ragspine.ix_chunk_embedding__hnsw_' || vector_leg_v1.version_no)
                        AND i.indisvalid)
    AND (SELECT sum(c.chunk_count) FROM ragspine.corpus_stat AS c
          WHERE c.tenant_no = tenant AND c.version_no = vector_leg_v1.version_no AND c.acl_class_no = ANY (classes)) >= index_from
    AND (passing IS NULL
         OR (SELECT count(*) FROM (SELECT FROM ragspine.chunk_embedding AS x
                                    WHERE x.tenant_no = tenant AND x.version_no = vector_leg_v1.version_no
                                      AND x.acl_class_no = ANY (classes) AND x.document_no = ANY (passing)
                                    LIMIT index_from) AS x) = index_from);
  IF indexed THEN
    -- Not as SET clauses of this function: a plain owner may write those only while pgvector's library is loaded.
    settings := ARRAY[current_setting('hnsw.iterative_scan'), current_setting('hnsw.ef_search'),
                      current_setting('hnsw.max_scan_tuples'), current_setting('enable_sort')];
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', ef_search::text, true),
            set_config('hnsw.max_scan_tuples', scan_tuples::text, true),
            set_config('enable_sort', 'off', true);  -- what was decided above, by rows, is not the planner's to decide by cost
    EXECUTE ragspine.vector_scan_v1(vector_leg_v1.version_no, space.distance, space.dimensions, passing IS NOT NULL, true)
      INTO numbers, distances
      USING tenant, vector_leg_v1.version_no, classes, query_embedding, greatest(k + 16, 116), passing;
    PERFORM set_config('hnsw.iterative_scan', settings[1], true), set_config('hnsw.ef_search', settings[2], true),
            set_config('hnsw.max_scan_tuples', settings[3], true), set_config('enable_sort', settings[4], true);
    indexed := coalesce(cardinality(numbers), 0) >= k;
  END IF;
  IF NOT indexed THEN
    depth := CASE WHEN demands.worded THEN greatest(k + 16, 1000) ELSE k + 16 END;
    LOOP  -- as deep as the k-th distance is shared: ties are decided by chunk ids
      EXECUTE ragspine.vector_scan_v1(vector_leg_v1.version_no, space.distance, space.dimensions, passing IS NOT NULL, false,
                                       cardinality(demands.required), cardinality(demands.excluded))
        INTO numbers, distances
        USING tenant, vector_leg_v1.version_no, classes, query_embedding, depth, passing, demands.required, demands.excluded;
      IF demands.worded THEN
        held := ragspine.hold_phrases_v1(
          tenant, vector_leg_v1.version_no, classes, numbers, ARRAY(SELECT 0 - d FROM unnest(distances) WITH ORDINALITY AS u(d, n)
                                                                     ORDER BY n), k, 0, demands.phrases, demands.barred);
        EXIT WHEN held.enough OR coalesce(cardinality(numbers), 0) < depth;
        depth := depth * 4;
        CONTINUE;
      END IF;
      EXIT WHEN coalesce(cardinality(numbers), 0) < depth OR distances[depth] > distances[k];
      depth := depth * 4;
    END LOOP;
    IF demands.worded THEN
      numbers := held.kept_nos;
      distances := ARRAY(SELECT 0 - s FROM unnest(held.kept_scores) WITH ORDINALITY AS u(s, n) ORDER BY n);
    END IF;
  END IF;
  RETURN QUERY
    SELECT s.chunk_no, s.chunk_id, (row_number() OVER (ORDER BY s.distance, s.chunk_id COLLATE "C"))::integer, s.score,
           CASE WHEN indexed THEN 'hnsw' ELSE 'scan' END
      FROM (SELECT n.chunk_no, c.chunk_id, n.distance,
                   CASE space.distance WHEN 'cosine' THEN 1 - n.distance
                                       WHEN 'inner_product' THEN 0 - n.distance
                                       WHEN 'l2' THEN 1 / (1 + n.distance) END AS score
              FROM unnest(numbers, distances) AS n(chunk_no, distance)
             CROSS JOIN LATERAL (SELECT *
                                   FROM ragspine.chunk AS c
                                  WHERE c.tenant_no = tenant AND c.version_no = vector_leg_v1.version_no
                                    AND c.chunk_no = n.chunk_no AND c.acl_class_no = ANY (classes)
                                 OFFSET 0) AS c) AS s
     WHERE min_score IS NULL OR s.score >= min_score
     ORDER BY 3
     LIMIT k;
END
$$;

COMMENT ON FUNCTION ragspine.vector_leg_v1(integer, text, @vector@.vector, integer, jsonb, double precision, text)
  IS 'The k readable chunks of a version most similar to a query''s vector.';
