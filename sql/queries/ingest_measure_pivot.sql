-- Sets the length pivot of a version to the mean length of its chunks, for a profile that says so; with statistics of the
-- library to that of all chunks that are not RESTRICTED.
--
-- params: tenant_no, library_no, version_no
-- Returns one row: whether the mean would tell of chunks that a caller may not read (documents of several access classes, and
-- statistics by class), the pivot from before, and the pivot from now.
WITH version AS MATERIALIZED (
  SELECT v.pivot, v.statistics
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
), measured AS (
  SELECT coalesce(nullif(sum(c.total_length), 0)::double precision / nullif(sum(c.chunk_count), 0)::double precision, 1)
           AS pivot
    FROM ragspine.corpus_stat AS c
   WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s
     AND CASE WHEN (SELECT v.statistics FROM version AS v) = 'library' THEN c.acl_class_no = 0 ELSE c.acl_class_no > 0 END
), changed AS (
  UPDATE ragspine.index_version AS v
     SET pivot = m.pivot
    FROM measured AS m
   WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s AND v.pivot <> m.pivot
)
SELECT v.statistics = 'class'
       AND (SELECT count(DISTINCT d.acl_class_no) > 1
              FROM ragspine.document AS d
             WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s),
       v.pivot, m.pivot
  FROM version AS v
 CROSS JOIN measured AS m
