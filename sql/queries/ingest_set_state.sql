-- Gives a version another state, and the time when it is published: later than any other of the library's, so that times tell
-- which version came before which.
--
-- params: tenant_no, library_no, version_no, state
UPDATE ragspine.index_version AS v
   SET state = %(state)s,
       published_at = CASE WHEN %(state)s = 'published' THEN
         (SELECT greatest(clock_timestamp(), max(o.published_at) + interval '1 microsecond')
            FROM ragspine.index_version AS o
           WHERE o.tenant_no = %(tenant_no)s AND o.library_no = %(library_no)s)
         ELSE v.published_at END
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
