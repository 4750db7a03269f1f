-- What a search of sealed chunks would miss or misjudge: chunks of a class with postings that stand in none and not in its tail;
-- impacts without their posting, postings without their impact, and bounds that a posting exceeds.
--
-- Of chunks that are gone from a class, postings may remain: they are looked up and left out when they are scored.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a version that has some: where, how many.
WITH version AS (
  SELECT v.tenant_no, v.version_no, v.version
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
     AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
              ELSE v.version_no = %(version_no)s END
), sealed AS MATERIALIZED (
  SELECT s.tenant_no, s.version_no, s.acl_class_no, s.run_no, x.chunk_no, x.impacts,
         s.segment_no * 4000 + u.position::integer - 1 AS place,
         EXISTS (SELECT
                   FROM ragspine.lexical_tail AS t
                  WHERE t.tenant_no = x.tenant_no AND t.version_no = x.version_no AND t.acl_class_no = x.acl_class_no
                    AND t.chunk_no = x.chunk_no) AS in_tail
    FROM version AS v
    JOIN ragspine.posting_segment AS s ON s.tenant_no = v.tenant_no AND s.version_no = v.version_no
   CROSS JOIN LATERAL unnest(s.chunk_nos) WITH ORDINALITY AS u(chunk_no, position)
    JOIN ragspine.chunk_lexical AS x
      ON x.tenant_no = s.tenant_no AND x.version_no = s.version_no AND x.acl_class_no = s.acl_class_no
     AND x.chunk_no = u.chunk_no
), entry AS MATERIALIZED (
  SELECT l.tenant_no, l.version_no, l.acl_class_no, l.run_no, e.lexeme_no, e.top, e.frequency,
         l.places[e.start + 1 : coalesce(l.starts[e.position + 1], cardinality(l.places))] AS places,
         l.impacts[e.start + 1 : coalesce(l.starts[e.position + 1], cardinality(l.impacts))] AS impacts
    FROM version AS v
    JOIN ragspine.posting_list AS l ON l.tenant_no = v.tenant_no AND l.version_no = v.version_no
   CROSS JOIN LATERAL unnest(l.lexeme_nos, l.tops, l.frequencies, l.starts) WITH ORDINALITY
                AS e(lexeme_no, top, frequency, start, position)
), posting AS MATERIALIZED (
  SELECT e.tenant_no, e.version_no, e.acl_class_no, e.run_no, e.lexeme_no, p.place, p.impact
    FROM entry AS e
   CROSS JOIN LATERAL unnest(e.places, e.impacts) AS p(place, impact)
  UNION ALL
  SELECT b.tenant_no, b.version_no, b.acl_class_no, s.run_no, b.lexeme_no, b.segment_no * 4000 + p.lexeme_no - 1,
         p.impact::real
    FROM version AS v
    JOIN ragspine.posting_block AS b ON b.tenant_no = v.tenant_no AND b.version_no = v.version_no
    JOIN ragspine.posting_segment AS s
      ON s.tenant_no = b.tenant_no AND s.version_no = b.version_no AND s.acl_class_no = b.acl_class_no
     AND s.segment_no = b.segment_no
   CROSS JOIN LATERAL ragspine.list_impacts_v1(b.impacts) AS p  -- of a block, positions stand where lexemes do
), wanted AS MATERIALIZED (
  SELECT c.tenant_no, c.version_no, c.acl_class_no, c.place, c.in_tail, p.lexeme_no, p.impact::real AS impact
    FROM sealed AS c
   CROSS JOIN LATERAL ragspine.list_impacts_v1(c.impacts) AS p
), wrong AS (
  SELECT x.version_no
    FROM version AS v
    JOIN ragspine.chunk_lexical AS x ON x.tenant_no = v.tenant_no AND x.version_no = v.version_no
   WHERE EXISTS (SELECT
                   FROM ragspine.posting_segment AS s
                  WHERE s.tenant_no = x.tenant_no AND s.version_no = x.version_no AND s.acl_class_no = x.acl_class_no)
     AND NOT EXISTS (SELECT
                       FROM ragspine.lexical_tail AS t
                      WHERE t.tenant_no = x.tenant_no AND t.version_no = x.version_no
                        AND t.acl_class_no = x.acl_class_no AND t.chunk_no = x.chunk_no)
     AND NOT EXISTS (SELECT
                       FROM sealed AS c
                      WHERE c.version_no = x.version_no AND c.acl_class_no = x.acl_class_no AND c.chunk_no = x.chunk_no)
  UNION ALL
  SELECT w.version_no
    FROM (SELECT w.version_no, w.acl_class_no, w.place, w.lexeme_no, w.impact FROM wanted AS w WHERE NOT w.in_tail
          EXCEPT
          SELECT p.version_no, p.acl_class_no, p.place, p.lexeme_no, p.impact FROM posting AS p) AS w
  UNION ALL
  SELECT p.version_no
    FROM (SELECT p.version_no, p.acl_class_no, p.place, p.lexeme_no, p.impact
            FROM posting AS p
            JOIN sealed AS c
              ON c.version_no = p.version_no AND c.acl_class_no = p.acl_class_no AND c.place = p.place
          EXCEPT
          SELECT w.version_no, w.acl_class_no, w.place, w.lexeme_no, w.impact FROM wanted AS w) AS p
  UNION ALL
  SELECT p.version_no
    FROM posting AS p
    LEFT JOIN entry AS e
      ON e.version_no = p.version_no AND e.acl_class_no = p.acl_class_no AND e.run_no = p.run_no AND e.lexeme_no = p.lexeme_no
   WHERE e.top < p.impact OR e.top IS NULL
  UNION ALL
  SELECT b.version_no
    FROM ragspine.posting_block AS b
    JOIN version AS v ON v.tenant_no = b.tenant_no AND v.version_no = b.version_no
    JOIN ragspine.posting_segment AS s
      ON s.tenant_no = b.tenant_no AND s.version_no = b.version_no AND s.acl_class_no = b.acl_class_no
     AND s.segment_no = b.segment_no
    JOIN entry AS e
      ON e.version_no = b.version_no AND e.acl_class_no = b.acl_class_no AND e.run_no = s.run_no
     AND e.lexeme_no = b.lexeme_no
   WHERE e.frequency = 0
)
SELECT 'version ' || v.version, count(*)
  FROM wrong AS w
  JOIN version AS v ON v.version_no = w.version_no
 GROUP BY v.version
 ORDER BY v.version
