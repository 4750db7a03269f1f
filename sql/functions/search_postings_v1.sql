-- The chunks that can be among the k best by exact BM25, of those that are sealed in postings. Owner only.
--
-- classes:         access classes that have postings; nothing of another one is read.
-- lexemes, weights: of the query, parallel; weight = frequency in the query * idf. terms: the same as a sparse vector.
-- k, known:        how many are wanted, and a score that k chunks elsewhere are known to reach (0 for none).
-- filter, condition: a metadata filter and the truth that compile_filter_v1 made of it, or null: only chunks whose document matches count.
-- demands:         what read_demands_v1 says: only chunks that meet them count.
-- budget:          how many chunks may be looked up, or null for as many as it takes.
-- Returns  chunk numbers and scores in float32, in no order: every sealed chunk that can be among the k best of all; and
--          whether it gave up, with nothing found, since the budget did not suffice.
--
-- A lexeme's postings stand in two places. Where it is frequent in a segment of 4,000 chunks: as one sparse vector over the
-- segment's places. Else in a list of its run. What the lists hold is added up first; the best of it, scored whole, give a
-- threshold. Segments are then added up whole, and what exceeds the threshold is a candidate (sum_segments_v1). The threshold
-- rises with every batch of segments.
-- Lexemes whose bounds together stay below a part of the threshold are left out of the sums (Turtle and Flood 1995,
-- MaxScore), and their bounds are added to every candidate's.
--
-- Candidates are scored by their rows, which leaves out what is stale, in falling order of their bounds until those fall below
-- the threshold; and a filter, and phrases, are asked about those alone that would count. All of it is float32 and only selects: the margin
-- covers the rounding, and the caller scores what is left exactly. So its result does not depend on how postings are laid out,
-- sealed or stale.
CREATE FUNCTION ragspine.search_postings_v1(
  tenant_no integer, version_no integer, classes integer[], lexemes integer[], weights double precision[],
  terms @vector@.sparsevec, k integer, known double precision, filter jsonb, condition text, demands record,
  budget integer,
  OUT chunk_nos bigint[], OUT scores double precision[], OUT gave_up boolean)
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
  vectors @vector@.vector[];            -- their weights in units, 4,000 times; null for 1
  bounds double precision[];
  unit double precision;
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
  asked double precision := 1;          -- of how many candidates how many have passed filter and demands, begun with a guess
  admitted double precision := 1;
  lot_chunks bigint[];                  -- a lot of candidates, scored by their rows
  lot_documents bigint[];
  lot_scores double precision[];
  lot_size integer;
  sieved CONSTANT boolean := condition IS NOT NULL OR demands.made;
BEGIN
  gave_up := false;
  IF sieved THEN
    asked := 4;
  END IF;
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
  ), largest AS (
    SELECT b.weight FROM bound AS b ORDER BY b.bound DESC LIMIT 1
  )
  SELECT l.classes, l.places, l.sums, b.lexemes, b.vectors, b.bounds, b.slack, (SELECT u.weight FROM largest AS u)
    INTO listed_classes, listed_places, listed_sums, frequent, vectors, bounds, slack, unit
    FROM (SELECT array_agg(l.acl_class_no ORDER BY l.sum DESC) AS classes, array_agg(l.place ORDER BY l.sum DESC) AS places,
                 array_agg(l.sum ORDER BY l.sum DESC) AS sums
            FROM listed AS l) AS l
   CROSS JOIN (SELECT array_agg(b.lexeme_no ORDER BY b.bound DESC) AS lexemes,
                      array_agg(CASE WHEN b.weight <> u.weight
                                  THEN array_fill((b.weight / u.weight)::real, ARRAY[4000])::@vector@.vector END
                                ORDER BY b.bound DESC) AS vectors,
                      array_agg(b.bound ORDER BY b.bound DESC) AS bounds,
                      coalesce(sum(b.bound), 0) AS slack
                 FROM bound AS b
                CROSS JOIN largest AS u) AS b;
  found_classes := listed_classes;
  found_places := listed_places;
  found_sums := listed_sums;
  LOOP
    -- Candidates in falling order of their bounds, in growing lots, until no more of them can count.
    next_ := 1;
    number := (k + 8) * asked / admitted;  -- so many that k of them may pass
    WHILE next_ <= cardinality(found_sums) AND found_sums[next_] + slack >= threshold * (1 - margin) LOOP
      IF budget < 0 THEN
        gave_up := true;
        chunk_nos := NULL;
        scores := NULL;
        RETURN;
      END IF;
      SELECT array_agg(x.chunk_no ORDER BY x.score DESC) FILTER (WHERE x.meets),
             array_agg(x.document_no ORDER BY x.score DESC) FILTER (WHERE x.meets),
             array_agg(x.score ORDER BY x.score DESC) FILTER (WHERE x.meets), count(*)
        INTO lot_chunks, lot_documents, lot_scores, lot_size
        FROM (SELECT x.chunk_no, x.document_no, -(x.impacts OPERATOR(@vector@.<#>) terms) AS score,
                     CASE WHEN demands.made
                       THEN NOT EXISTS (SELECT FROM unnest(demands.required) AS r(vector)
                                         WHERE x.impacts OPERATOR(@vector@.<#>) r.vector >= 0)
                            AND NOT EXISTS (SELECT FROM unnest(demands.excluded) AS r(vector)
                                             WHERE x.impacts OPERATOR(@vector@.<#>) r.vector < 0)
                       ELSE true END AS meets
                FROM (SELECT p.class, p.place / 4000 AS segment_no, array_agg(p.place % 4000 + 1) AS positions
                        FROM unnest(found_classes[next_ : next_ + number - 1], found_places[next_ : next_ + number - 1])
                               AS p(class, place)
                       GROUP BY 1, 2) AS p
               -- The array is read once a segment: joined with an empty one it is in memory.
               CROSS JOIN LATERAL (SELECT s.acl_class_no, s.chunk_nos || '{}'::bigint[] AS chunk_nos
                                     FROM ragspine.posting_segment AS s
                                    WHERE s.tenant_no = search_postings_v1.tenant_no
                                      AND s.version_no = search_postings_v1.version_no
                                      AND s.acl_class_no = p.class AND s.segment_no = p.segment_no
                                   OFFSET 0) AS s
               CROSS JOIN LATERAL (SELECT s.chunk_nos[o.position] AS chunk_no
                                     FROM unnest(p.positions) AS o(position)
                                   OFFSET 0) AS n
               -- Of another class by now, or deleted: whatever is stale in postings, no one sees it.
               CROSS JOIN LATERAL (SELECT *
                                     FROM ragspine.chunk_lexical AS x
                                    WHERE x.tenant_no = search_postings_v1.tenant_no
                                      AND x.version_no = search_postings_v1.version_no
                                      AND x.acl_class_no = s.acl_class_no AND x.chunk_no = n.chunk_no
                                   OFFSET 0) AS x) AS x
       WHERE x.score >= threshold * (1 - margin);
      IF condition IS NOT NULL AND lot_chunks <> '{}' THEN
        SELECT array_agg(l.chunk_no ORDER BY l.score DESC), array_agg(l.score ORDER BY l.score DESC)
          INTO lot_chunks, lot_scores
          FROM unnest(ragspine.admit_documents_v1(filter, condition, tenant_no, classes, lot_documents)) AS d(document_no)
          JOIN unnest(lot_chunks, lot_documents, lot_scores) AS l(chunk_no, document_no, score) USING (document_no);
      END IF;
      IF demands.worded AND lot_chunks <> '{}' THEN
        SELECT h.kept_nos, h.kept_scores INTO lot_chunks, lot_scores
          FROM ragspine.hold_phrases_v1(
                 tenant_no, version_no, classes, lot_chunks, lot_scores, cardinality(lot_chunks), 0, demands.phrases,
                 demands.barred) AS h;
      END IF;
      IF sieved THEN
        asked := asked + lot_size;
        admitted := admitted + coalesce(cardinality(lot_chunks), 0);
      END IF;
      IF lot_chunks <> '{}' THEN
        WITH scored AS MATERIALIZED (
          SELECT DISTINCT s.chunk_no, s.score
            FROM unnest(search_postings_v1.chunk_nos || lot_chunks, search_postings_v1.scores || lot_scores)
                   AS s(chunk_no, score)
        ), kth AS MATERIALIZED (
          SELECT greatest(threshold, (SELECT s.score FROM scored AS s ORDER BY s.score DESC OFFSET k - 1 LIMIT 1)) AS score
        )
        SELECT array_agg(s.chunk_no), array_agg(s.score), (SELECT t.score FROM kth AS t)
          INTO chunk_nos, scores, threshold
          FROM scored AS s
         WHERE s.score >= (SELECT t.score FROM kth AS t) * (1 - margin);
      END IF;
      budget := budget - number;
      next_ := next_ + number;
      number := 2 * number;
      EXIT WHEN kept IS NULL AND (NOT sieved OR cardinality(chunk_nos) >= k);  -- of the lists, only a threshold was wanted
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
                          ('{' || string_agg(l.place % 4000 + 1 || ':' || l.sum / unit, ',') || '}/4000')::@vector@.sparsevec AS vector
                     FROM unnest(listed_classes, listed_places, listed_sums) AS l(class, place, sum)
                    GROUP BY 1, 2) AS l
          ON l.class = s.class AND l.segment_no = s.segment_no;
    END IF;
    EXIT WHEN last_ = coalesce(cardinality(segments), 0);
    -- The next batch: small at first, since every one raises the threshold for those after it; but every one has a filter
    -- asked anew, which takes longer than to find some candidates more.
    first_ := last_ + 1;
    last_ := least(cardinality(segments),
                   CASE WHEN sieved THEN 32 ELSE 4 END * last_ + greatest(1, cardinality(segments) / 16));
    bar := threshold * (1 - margin) - slack;
    SELECT s.found_classes, s.found_places, s.found_sums
      INTO found_classes, found_places, found_sums
      FROM ragspine.sum_segments_v1(
             tenant_no, version_no, segment_classes[first_:last_], segments[first_:last_], listed_vectors[first_:last_],
             frequent[:kept], vectors[:kept], unit, bar) AS s;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.search_postings_v1(
  integer, integer, integer[], integer[], double precision[], @vector@.sparsevec, integer, double precision, jsonb, text, record,
  integer)
  IS 'The sealed chunks among the k best by exact BM25.';
