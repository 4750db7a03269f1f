-- Whether a class of a version has so many chunks in its tail that they are to be sealed.
--
-- params: tenant_no, version_no, least
-- Returns one row: a boolean.
SELECT EXISTS (
  SELECT
    FROM ragspine.lexical_tail AS t
   WHERE t.tenant_no = %(tenant_no)s AND t.version_no = %(version_no)s
   GROUP BY t.acl_class_no
  HAVING count(*) >= %(least)s)
