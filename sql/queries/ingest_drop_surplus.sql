-- Gives up the retired versions of a library but those that were published last.
--
-- params: tenant_no, library_no, kept (how many stay)
UPDATE ragspine.index_version AS v
   SET state = 'dropped'
  FROM (SELECT o.version_no
          FROM ragspine.index_version AS o
         WHERE o.tenant_no = %(tenant_no)s AND o.library_no = %(library_no)s AND o.state = 'retired'
         ORDER BY o.published_at DESC
        OFFSET %(kept)s) AS surplus
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = surplus.version_no
