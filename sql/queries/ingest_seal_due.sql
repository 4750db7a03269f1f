-- Whether a class of a version has so many chunks in its tail that they are to be sealed: of one without postings, whose chunks
-- all stand there, as many as a class must have.
--
-- params: tenant_no, version_no, least, seal_from (chunks from which a class is sealed)
-- Returns one row: a boolean.
SELECT EXISTS (
  SELECT
    FROM ragspine.lexical_tail AS t
   WHERE t.tenant_no = %(tenant_no)s AND t.version_no = %(version_no)s
   GROUP BY t.acl_class_no
  HAVING count(*) >= %(least)s
     AND (count(*) >= %(seal_from)s
          OR EXISTS (SELECT
                       FROM ragspine.posting_segment AS s
                      WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s
                        AND s.acl_class_no = t.acl_class_no)))
