-- The chunks that can be among the k best by exact BM25, of those that are sealed in postings. Owner only.
--
-- classes:         access classes that have postings; nothing of another one is read.
-- lexemes, weights: of the query, parallel; weight = frequency in the query * idf. terms: the same as a sparse vector.
-- k, known:        how many are wanted, and a score that k chunks elsewhere are known to reach (0 for none).
-- Returns  chunk numbers and scores in float32, in no order: every sealed chunk that can be among the k best of all.
--
-- A lexeme's postings stand in two places. Where it is frequent in a segment of 4,000 chunks: as one sparse vector over the
-- segment's places. Else in a list of its run. What the lists hold is added up first; the best of it, scored whole, give a
-- threshold. Segments are then added up whole, each as a vector that begins with minus the threshold, so that what stays
-- positive is a candidate and the rest is never looked at (docs/adr/0013). The threshold rises with every batch of segments.
-- Lexemes whose bounds together stay below a part of the threshold are left out of the sums (Turtle and Flood 1995,
-- MaxScore), and their bounds are added to every candidate's.
--
-- Candidates are scored by their rows, which leaves out what is stale, in falling order of their bounds until those fall below
-- the threshold. All of it is float32 and only selects: the margin covers the rounding, and the caller scores what is left
-- exactly. So its result does not depend on how postings are laid out, sealed or stale.
CREATE FUNCTION ragspine.search_postings_v1(
  tenant_no integer, version_no integer, classes integer[], lexemes integer[], weights double precision[],
  terms @vector@.sparsevec, k integer, known double precision, OUT chunk_nos bigint[], OUT scores double precision[])
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
SET enable_memoize = off  -- no key comes twice
AS $$
DECLARE
  -- Each product, each addition and each rounded weight errs by at most 2^-24 of a score; four times that, since a sum is
  -- compared with another one.
  margin CONSTANT double precision := (cardinality(lexemes) + 4) * 2.4e-7;
  threshold double precision := known;
  bar double precision;                 -- what the sums of a batch must exceed
  slack double precision := 0;          -- what the lexemes that are not added up may add
  listed_classes integer[];             -- the lists' chunks, in falling order of what the lists hold of them
  listed_places integer[];
  listed_sums real[];
  listed_vectors @vector@.sparsevec[];  -- the same by segment
  frequent integer[];                   -- lexemes with blocks, in falling order of their bounds
  vectors @vector@.vector[];            -- their weights, 4,000 times
  bounds double precision[];
  kept integer;                         -- how many of them are added up
  segment_classes integer[];
  segments integer[];
  first_ integer := 1;                  -- the batch of segments
  last_ integer := 0;
  found_classes integer[];              -- a batch's candidates, in falling order of their sums
  found_places integer[];
  found_sums real[];
  next_ integer;
  number integer;
BEGIN
  WITH run AS MATERIALIZED (
    SELECT DISTINCT s.acl_class_no, s.run_no
      FROM ragspine.posting_segment AS s
     WHERE s.tenant_no = search_postings_v1.tenant_no AND s.version_no = search_postings_v1.version_no
       AND s.acl_class_no = ANY (classes)
  ), entry AS MATERIALIZED (
    SELECT r.acl_class_no, t.lexeme_no, t.weight, l.tops[i.index] AS top, l.frequencies[i.index] AS frequency,
           l.places[l.starts[i.index] + 1 : coalesce(l.starts[i.index + 1], cardinality(l.places))] AS places,
           l.impacts[l.starts[i.index] + 1 : coalesce(l.starts[i.index + 1], cardinality(l.impacts))] AS impacts
      FROM unnest(lexemes, weights) AS t(lexeme_no, weight)
     CROSS JOIN run AS r
     CROSS JOIN LATERAL (SELECT *
                           FROM ragspine.posting_list AS l
                          WHERE l.tenant_no = search_postings_v1.tenant_no AND l.version_no = search_postings_v1.version_no
                            AND l.acl_class_no = r.acl_class_no AND l.run_no = r.run_no
                            AND l.first_lexeme_no <= t.lexeme_no
                          ORDER BY l.first_lexeme_no DESC
                          LIMIT 1) AS l
     CROSS JOIN LATERAL (SELECT array_position(l.lexeme_nos, t.lexeme_no) AS index) AS i
     WHERE i.index IS NOT NULL
  ), listed AS (
    SELECT p.acl_class_no, p.place, sum(p.impact)::real AS sum
      FROM (SELECT e.acl_class_no, unnest(e.places) AS place, unnest(e.impacts) * e.weight AS impact FROM entry AS e) AS p
     GROUP BY 1, 2
  ), bound AS (
    SELECT e.lexeme_no, e.weight, e.weight * max(e.top) AS bound
      FROM entry AS e
     GROUP BY 1, 2
    HAVING sum(e.frequency) > 0
  )
  SELECT l.classes, l.places, l.sums, b.lexemes, b.vectors, b.bounds, b.slack
    INTO listed_classes, listed_places, listed_sums, frequent, vectors, bounds, slack
    FROM (SELECT array_agg(l.acl_class_no ORDER BY l.sum DESC) AS classes, array_agg(l.place ORDER BY l.sum DESC) AS places,
                 array_agg(l.sum ORDER BY l.sum DESC) AS sums
            FROM listed AS l) AS l
   CROSS JOIN (SELECT array_agg(b.lexeme_no ORDER BY b.bound DESC) AS lexemes,
                      array_agg(array_fill(b.weight::real, ARRAY[4000])::@vector@.vector ORDER BY b.bound DESC) AS vectors,
                      array_agg(b.bound ORDER BY b.bound DESC) AS bounds,
                      coalesce(sum(b.bound), 0) AS slack
                 FROM bound AS b) AS b;
  found_classes := listed_classes;
  found_places := listed_places;
  found_sums := listed_sums;
  LOOP
    -- Candidates in falling order of their bounds, in growing lots, until no more of them can count.
    next_ := 1;
    number := k + 8;
    WHILE next_ <= cardinality(found_sums) AND found_sums[next_] + slack >= threshold * (1 - margin) LOOP
      WITH scored AS MATERIALIZED (
        SELECT DISTINCT b.chunk_no, b.score
          FROM ragspine.score_places_v1(tenant_no, version_no, found_classes[next_ : next_ + number - 1],
                                        found_places[next_ : next_ + number - 1], terms) AS s
         CROSS JOIN LATERAL unnest(search_postings_v1.chunk_nos || s.chunk_nos, search_postings_v1.scores || s.scores)
                      AS b(chunk_no, score)
      ), kth AS MATERIALIZED (
        SELECT greatest(threshold, (SELECT s.score FROM scored AS s ORDER BY s.score DESC OFFSET k - 1 LIMIT 1)) AS score
      )
      SELECT array_agg(s.chunk_no), array_agg(s.score), (SELECT t.score FROM kth AS t)
        INTO chunk_nos, scores, threshold
        FROM scored AS s
       WHERE s.score >= (SELECT t.score FROM kth AS t) * (1 - margin);
      next_ := next_ + number;
      number := 2 * number;
      EXIT WHEN kept IS NULL;  -- of the lists, only a threshold was wanted
    END LOOP;
    IF kept IS NULL THEN
      kept := coalesce(cardinality(frequent), 0);
      slack := 0;
      WHILE kept > 0 AND slack + bounds[kept] <= threshold * 0.3 LOOP
        slack := slack + bounds[kept];
        kept := kept - 1;
      END LOOP;
      CONTINUE WHEN kept = 0;  -- only what is in the lists can be among the best: now all of it
      SELECT array_agg(s.acl_class_no ORDER BY s.acl_class_no, s.segment_no),
             array_agg(s.segment_no ORDER BY s.acl_class_no, s.segment_no)
        INTO segment_classes, segments
        FROM ragspine.posting_segment AS s
       WHERE s.tenant_no = search_postings_v1.tenant_no AND s.version_no = search_postings_v1.version_no
         AND s.acl_class_no = ANY (classes);
      SELECT array_agg(l.vector ORDER BY s.position)
        INTO listed_vectors
        FROM unnest(segment_classes, segments) WITH ORDINALITY AS s(class, segment_no, position)
        LEFT JOIN (SELECT l.class, l.place / 4000 AS segment_no,
                          ('{' || string_agg(l.place % 4000 + 1 || ':' || l.sum, ',') || '}/4000')::@vector@.sparsevec AS vector
                     FROM unnest(listed_classes, listed_places, listed_sums) AS l(class, place, sum)
                    GROUP BY 1, 2) AS l
          ON l.class = s.class AND l.segment_no = s.segment_no;
    END IF;
    EXIT WHEN last_ = coalesce(cardinality(segments), 0);
    -- The next batch: small at first, since every one raises the threshold for those after it.
    first_ := last_ + 1;
    last_ := least(cardinality(segments), 4 * last_ + greatest(1, cardinality(segments) / 16));
    bar := threshold * (1 - margin) - slack;
    WITH term AS MATERIALIZED (
      SELECT * FROM unnest(frequent[:kept], vectors[:kept]) AS l(lexeme_no, weights)
    ), base AS MATERIALIZED (
      SELECT array_fill((-bar)::real, ARRAY[4000])::@vector@.vector AS vector
    ), total AS MATERIALIZED (
      SELECT s.class, s.segment_no, s.positive::text AS positive, s.sums::real[] AS sums
        FROM (SELECT s.class, s.segment_no, t.sums, @vector@.binary_quantize(t.sums) AS positive
                FROM unnest(segment_classes[first_:last_], segments[first_:last_], listed_vectors[first_:last_])
                       AS s(class, segment_no, listed)
               CROSS JOIN LATERAL (
                      SELECT @vector@.sum(v.vector) AS sums
                        FROM (SELECT b.vector FROM base AS b
                              UNION ALL
                              SELECT b.impacts::@vector@.vector OPERATOR(@vector@.*) l.weights
                                FROM term AS l
                               CROSS JOIN LATERAL (SELECT b.impacts
                                                     FROM ragspine.posting_block AS b
                                                    WHERE b.tenant_no = search_postings_v1.tenant_no
                                                      AND b.version_no = search_postings_v1.version_no
                                                      AND b.acl_class_no = s.class AND b.lexeme_no = l.lexeme_no
                                                      AND b.segment_no = s.segment_no
                                                   OFFSET 0) AS b
                              UNION ALL
                              SELECT s.listed::@vector@.vector WHERE s.listed IS NOT NULL) AS v) AS t
              OFFSET 0) AS s
       WHERE bit_count(s.positive) > 0
    ), found AS MATERIALIZED (
      -- The pieces between the ones of a string of bits: each one stands after the lengths of those before it.
      SELECT t.class, (t.segment_no * 4000 + p.position - 1)::integer AS place, t.sums[p.position] + bar AS sum
        FROM total AS t
       CROSS JOIN LATERAL (SELECT sum(length(p.piece) + 1) OVER (ORDER BY p.n)::integer AS position
                             FROM string_to_table(t.positive, '1') WITH ORDINALITY AS p(piece, n)) AS p
       WHERE p.position <= 4000
    )
    SELECT array_agg(f.class ORDER BY f.sum DESC), array_agg(f.place ORDER BY f.sum DESC), array_agg(f.sum ORDER BY f.sum DESC)
      INTO found_classes, found_places, found_sums
      FROM found AS f;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.search_postings_v1(
  integer, integer, integer[], integer[], double precision[], @vector@.sparsevec, integer, double precision)
  IS 'The sealed chunks among the k best by exact BM25.';
