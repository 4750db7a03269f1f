-- Gives up the retired versions of a library but those that were published last; and, unless the published one is so itself,
-- those whose length pivot was measured under statistics by class: nothing holds documents to one class any more, and their
-- scores would tell somebody with an old cursor of the lengths of texts that are hidden from then on. Nor are those with
-- statistics of the library kept behind one by class: they would tell whoever may read one document of it of the words of all.
--
-- params: tenant_no, library_no, kept (how many stay)
WITH version AS (
  SELECT v.version_no, v.state, v.profile ->> 'pivot' = 'measured' AND v.statistics = 'class' AS measured,
         v.statistics = 'library' AS whole,
         row_number() OVER (PARTITION BY v.state ORDER BY v.published_at DESC) AS place
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s AND v.state IN ('published', 'retired')
)
UPDATE ragspine.index_version AS v
   SET state = 'dropped'
  FROM version AS o
 WHERE o.state = 'retired'
   AND (o.place > %(kept)s
        OR o.measured AND NOT (SELECT p.measured FROM version AS p WHERE p.state = 'published')
        OR o.whole AND NOT (SELECT p.whole FROM version AS p WHERE p.state = 'published'))
   AND v.tenant_no = %(tenant_no)s AND v.version_no = o.version_no
