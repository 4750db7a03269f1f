-- The scores in float32 of chunks that postings name by class and place; of those that are still of that class. Owner only.
--
-- classes, places: parallel; a place is segment_no * 4000 + the chunk's position in the segment, from 0.
-- terms:           the query, as in lexical_leg_v1.
-- Returns  the chunks that stand, and their scores, in no order. One that was deleted or has another class by now is left
--          out, so whatever is stale in postings, no one sees it.
CREATE FUNCTION ragspine.score_places_v1(
  tenant_no integer, version_no integer, classes integer[], places integer[], terms @vector@.sparsevec,
  OUT chunk_nos bigint[], OUT scores double precision[])
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
SET enable_memoize = off  -- no key comes twice
AS $$
BEGIN
  SELECT array_agg(x.chunk_no), array_agg(x.score)
    INTO chunk_nos, scores
    FROM (SELECT x.chunk_no, -(x.impacts OPERATOR(@vector@.<#>) terms) AS score
            FROM (SELECT p.class, p.place / 4000 AS segment_no, array_agg(p.place % 4000 + 1) AS positions
                    FROM unnest(classes, places) AS p(class, place)
                   GROUP BY 1, 2) AS p
           -- The array is read once a segment: joined with an empty one it is in memory.
           CROSS JOIN LATERAL (SELECT s.acl_class_no, s.chunk_nos || '{}'::bigint[] AS chunk_nos
                                 FROM ragspine.posting_segment AS s
                                WHERE s.tenant_no = score_places_v1.tenant_no AND s.version_no = score_places_v1.version_no
                                  AND s.acl_class_no = p.class AND s.segment_no = p.segment_no
                               OFFSET 0) AS s
           CROSS JOIN LATERAL (SELECT s.chunk_nos[o.position] AS chunk_no FROM unnest(p.positions) AS o(position) OFFSET 0) AS n
           CROSS JOIN LATERAL (SELECT *
                                 FROM ragspine.chunk_lexical AS x
                                WHERE x.tenant_no = score_places_v1.tenant_no AND x.version_no = score_places_v1.version_no
                                  AND x.acl_class_no = s.acl_class_no AND x.chunk_no = n.chunk_no
                               OFFSET 0) AS x) AS x;
END
$$;

COMMENT ON FUNCTION ragspine.score_places_v1(integer, integer, integer[], integer[], @vector@.sparsevec)
  IS 'Scores of chunks that postings name.';
