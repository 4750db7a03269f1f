-- Writes one segment: its chunks, and the postings of each lexeme that is frequent in it; keeps the others for the lists.
--
-- params: tenant_no, version_no, acl_class_no, run_no, segment_no, size (chunks in a segment), frequent (postings that make a
--         block)
-- Returns one row: the number of postings.
WITH segment AS (
  INSERT INTO ragspine.posting_segment (tenant_no, version_no, acl_class_no, segment_no, run_no, chunk_nos)
  SELECT %(tenant_no)s, %(version_no)s, %(acl_class_no)s, %(segment_no)s, %(run_no)s, array_agg(c.chunk_no ORDER BY c.place)
    FROM pg_temp.ragspine_seal_chunk AS c
   WHERE c.place >= %(segment_no)s::integer * %(size)s AND c.place < (%(segment_no)s::integer + 1) * %(size)s
), place AS MATERIALIZED (
  SELECT c.chunk_no, c.place - %(segment_no)s::integer * %(size)s + 1 AS position, x.impacts
    FROM pg_temp.ragspine_seal_chunk AS c
   CROSS JOIN LATERAL (SELECT x.impacts
                         FROM ragspine.chunk_lexical AS x
                        WHERE x.tenant_no = %(tenant_no)s AND x.version_no = %(version_no)s
                          AND x.acl_class_no = %(acl_class_no)s AND x.chunk_no = c.chunk_no
                       OFFSET 0) AS x
   WHERE c.place >= %(segment_no)s::integer * %(size)s AND c.place < (%(segment_no)s::integer + 1) * %(size)s
), seen AS (
  UPDATE pg_temp.ragspine_seal_chunk AS s
     SET seen = true
    FROM place AS c
   WHERE s.chunk_no = c.chunk_no
), term AS MATERIALIZED (
  SELECT p.lexeme_no, max(p.impact::real) AS top, count(*) AS chunk_count,
         string_agg(c.position || ':' || p.impact, ',' ORDER BY c.position) AS pairs
    FROM place AS c
   CROSS JOIN LATERAL ragspine.list_impacts_v1(c.impacts) AS p
   GROUP BY p.lexeme_no
), block AS (
  INSERT INTO ragspine.posting_block (tenant_no, version_no, acl_class_no, lexeme_no, segment_no, impacts)
  SELECT %(tenant_no)s, %(version_no)s, %(acl_class_no)s, l.lexeme_no, %(segment_no)s,
         ragspine.parse_postings_v1(l.pairs)
    FROM term AS l
   WHERE l.chunk_count >= %(frequent)s
), kept AS (
  INSERT INTO pg_temp.ragspine_seal_lexeme (lexeme_no, segment_no, top, chunk_count, pairs)
  SELECT l.lexeme_no, %(segment_no)s, l.top, l.chunk_count, CASE WHEN l.chunk_count < %(frequent)s THEN l.pairs END
    FROM term AS l
)
SELECT coalesce(sum(l.chunk_count), 0)::bigint FROM term AS l
