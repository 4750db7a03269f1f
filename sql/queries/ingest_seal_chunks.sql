-- Gives the chunks of a class's tail, and those of runs that are merged with it, their places in the order of their numbers.
--
-- Chunks that were deleted, or have another class by now, get none.
--
-- params: tenant_no, version_no, acl_class_no, run_nos (merged), segment_no (the first), size (chunks in a segment)
-- Returns one row: the number of chunks.
WITH placed AS (
  INSERT INTO pg_temp.ragspine_seal_chunk (chunk_no, place)
  SELECT n.chunk_no, %(segment_no)s::integer * %(size)s + row_number() OVER (ORDER BY n.chunk_no) - 1
    FROM (SELECT t.chunk_no
            FROM ragspine.lexical_tail AS t
           WHERE t.tenant_no = %(tenant_no)s AND t.version_no = %(version_no)s AND t.acl_class_no = %(acl_class_no)s
          UNION
          SELECT unnest(s.chunk_nos)
            FROM ragspine.posting_segment AS s
           WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s AND s.acl_class_no = %(acl_class_no)s
             AND s.run_no = ANY (%(run_nos)s::integer[])) AS n
   CROSS JOIN LATERAL (SELECT
                         FROM ragspine.chunk_lexical AS x
                        WHERE x.tenant_no = %(tenant_no)s AND x.version_no = %(version_no)s
                          AND x.acl_class_no = %(acl_class_no)s AND x.chunk_no = n.chunk_no
                       OFFSET 0) AS x
  RETURNING chunk_no
)
SELECT count(*) FROM placed
