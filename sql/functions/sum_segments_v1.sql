-- Adds up the postings of a query in some segments, and says where the sums exceed a bar. Owner only.
--
-- classes, segments: parallel, the segments; listed: of each, what the lists hold of it, weighted, in units; null for nothing.
-- lexemes, vectors:  whose blocks are added up; the weight of each in units, 4,000 times, or null for 1.
-- unit:              a weight. Everything is added up in multiples of the weight of one lexeme, whose blocks then need no
--                    multiplication, which takes longer than the addition.
-- Returns  the places where a sum is above the bar, in falling order of the sums.
--
-- Each sum is a vector over the segment's places that begins with minus the bar: what stays positive exceeds it, the bits of
-- its quantization say where, and the rest is never looked at (docs/adr/0013).
CREATE FUNCTION ragspine.sum_segments_v1(
  tenant_no integer, version_no integer, classes integer[], segments integer[], listed @vector@.sparsevec[], lexemes integer[],
  vectors @vector@.vector[], unit double precision, bar double precision,
  OUT found_classes integer[], OUT found_places integer[], OUT found_sums real[])
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
SET enable_memoize = off  -- no key comes twice
AS $$
BEGIN
  WITH term AS MATERIALIZED (
    SELECT * FROM unnest(lexemes, vectors) AS l(lexeme_no, weights)
  ), base AS MATERIALIZED (
    SELECT array_fill((-bar / unit)::real, ARRAY[4000])::@vector@.vector AS vector
  ), total AS MATERIALIZED (
    SELECT s.class, s.segment_no, s.positive::text AS positive, s.sums::real[] AS sums
      FROM (SELECT s.class, s.segment_no, t.sums, @vector@.binary_quantize(t.sums) AS positive
              FROM unnest(classes, segments, listed) AS s(class, segment_no, listed)
             CROSS JOIN LATERAL (
                    SELECT @vector@.sum(v.vector) AS sums
                      FROM (SELECT b.vector FROM base AS b
                            UNION ALL
                            SELECT CASE WHEN l.weights IS NULL THEN b.impacts::@vector@.vector
                                        ELSE b.impacts::@vector@.vector OPERATOR(@vector@.*) l.weights END
                              FROM term AS l
                             CROSS JOIN LATERAL (SELECT b.impacts
                                                   FROM ragspine.posting_block AS b
                                                  WHERE b.tenant_no = sum_segments_v1.tenant_no
                                                    AND b.version_no = sum_segments_v1.version_no
                                                    AND b.acl_class_no = s.class AND b.lexeme_no = l.lexeme_no
                                                    AND b.segment_no = s.segment_no
                                                 OFFSET 0) AS b
                            UNION ALL
                            SELECT s.listed::@vector@.vector WHERE s.listed IS NOT NULL) AS v) AS t
            OFFSET 0) AS s
     WHERE bit_count(s.positive) > 0
  ), found AS MATERIALIZED (
    -- The pieces between the ones of a string of bits: each one stands after the lengths of those before it.
    SELECT t.class, (t.segment_no * 4000 + p.position - 1)::integer AS place, t.sums[p.position] * unit + bar AS sum
      FROM total AS t
     CROSS JOIN LATERAL (SELECT sum(length(p.piece) + 1) OVER (ORDER BY p.n)::integer AS position
                           FROM string_to_table(t.positive, '1') WITH ORDINALITY AS p(piece, n)) AS p
     WHERE p.position <= 4000
  )
  SELECT array_agg(f.class ORDER BY f.sum DESC), array_agg(f.place ORDER BY f.sum DESC), array_agg(f.sum ORDER BY f.sum DESC)
    INTO found_classes, found_places, found_sums
    FROM found AS f;
END
$$;

COMMENT ON FUNCTION ragspine.sum_segments_v1(
  integer, integer, integer[], integer[], @vector@.sparsevec[], integer[], @vector@.vector[], double precision, double precision)
  IS 'The places of segments where a query''s postings add up to more than a bar.';
