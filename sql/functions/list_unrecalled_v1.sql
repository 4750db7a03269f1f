-- Which of some chunks of a version are not found first by the vector that their own text has.
--
-- chunk_nos, embeddings: parallel arrays; a vector in pgvector's text form.
-- Returns the numbers of the chunks that are not: another one is nearer, and by more than rounding. None for a version whose
-- space compares vectors of any length by their inner product, where a longer one may well be nearer than a vector itself.
--
-- Asks what the vector leg asks, over all access classes. SECURITY INVOKER: the ingest role reads vectors as it is.
CREATE FUNCTION ragspine.list_unrecalled_v1(tenant_no integer, version_no integer, chunk_nos bigint[], embeddings text[])
RETURNS SETOF bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  space record;
  asked bigint;
  vector @vector@.vector;
  classes integer[];
  numbers bigint[];
  distances double precision[];
  own double precision;
BEGIN
  SELECT s.dimensions, s.distance, s.description -> 'normalised' = 'true' AS normalised INTO space
    FROM ragspine.index_version AS v
    JOIN ragspine.embedding_space AS s ON s.tenant_no = v.tenant_no AND s.space_no = v.space_no
   WHERE v.tenant_no = $1 AND v.version_no = $2;
  IF NOT FOUND OR (space.distance = 'inner_product' AND NOT space.normalised) THEN
    RETURN;
  END IF;
  SELECT coalesce(array_agg(DISTINCT c.acl_class_no), '{}') INTO classes
    FROM ragspine.corpus_stat AS c
   WHERE c.tenant_no = $1 AND c.version_no = $2 AND c.acl_class_no > 0;
  FOR asked, vector IN
    SELECT a.chunk_no, ragspine.parse_embedding_v1(a.embedding) FROM unnest(chunk_nos, embeddings) AS a(chunk_no, embedding)
  LOOP
    EXECUTE ragspine.vector_scan_v1($2, space.distance, space.dimensions, false, false)
      INTO numbers, distances
      USING $1, $2, classes, vector, 1, NULL::bigint[];
    SELECT CASE space.distance WHEN 'cosine' THEN e.embedding OPERATOR(@vector@.<=>) vector
                               WHEN 'inner_product' THEN e.embedding OPERATOR(@vector@.<#>) vector
                               ELSE e.embedding OPERATOR(@vector@.<->) vector END INTO own
      FROM ragspine.chunk_embedding AS e
      JOIN ragspine.chunk AS c ON c.tenant_no = e.tenant_no AND c.version_no = e.version_no AND c.acl_class_no = e.acl_class_no
                              AND c.document_no = e.document_no AND c.chunk_no = e.chunk_no
     WHERE c.tenant_no = $1 AND c.version_no = $2 AND c.chunk_no = asked;
    -- A chunk that was deleted meanwhile has none, and is not missed.
    IF own > distances[1] + 0.001 * (1 + abs(distances[1])) THEN
      RETURN QUERY SELECT asked;
    END IF;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.list_unrecalled_v1(integer, integer, bigint[], text[])
  IS 'Which chunks are not found first by their own text''s vector.';
