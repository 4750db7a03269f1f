-- Sets the length pivot of a version to the mean length of its chunks, for a profile that says so.
--
-- params: tenant_no, library_no, version_no
-- Returns one row: the number of access classes of the library's documents, the pivot from before, and the pivot from now.
WITH measured AS (
  SELECT coalesce(nullif(sum(c.total_length), 0)::double precision / nullif(sum(c.chunk_count), 0)::double precision, 1)
           AS pivot
    FROM ragspine.corpus_stat AS c
   WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s
), before AS (
  SELECT v.pivot
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
), changed AS (
  UPDATE ragspine.index_version AS v
     SET pivot = m.pivot
    FROM measured AS m
   WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s AND v.pivot <> m.pivot
)
SELECT (SELECT count(DISTINCT d.acl_class_no)
          FROM ragspine.document AS d
         WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s),
       b.pivot, m.pivot
  FROM before AS b
 CROSS JOIN measured AS m
