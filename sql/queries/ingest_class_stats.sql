-- Numbers about each access class in use in a library, for its administrator.
--
-- params: tenant_no, library_no, version_no
-- Returns one row a class: sensitivity, readers (text[], sorted; NULL: every member), documents, chunks, summed length.
SELECT k.sensitivity,
       CASE WHEN NOT k.open_to_members THEN
         ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
                WHERE r.tenant_no = k.tenant_no AND r.acl_class_no = k.acl_class_no
                ORDER BY r.principal)
       END,
       u.documents, coalesce(c.chunk_count, 0)::bigint, coalesce(c.total_length, 0)::bigint
  FROM (SELECT d.acl_class_no, count(*) AS documents
          FROM ragspine.document AS d
         WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
         GROUP BY d.acl_class_no) AS u
  JOIN ragspine.acl_class AS k ON k.tenant_no = %(tenant_no)s AND k.acl_class_no = u.acl_class_no
  LEFT JOIN (SELECT s.acl_class_no, sum(s.chunk_count) AS chunk_count, sum(s.total_length) AS total_length
               FROM ragspine.corpus_stat AS s
              WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s
              GROUP BY s.acl_class_no) AS c ON c.acl_class_no = u.acl_class_no
 ORDER BY k.acl_class_no
