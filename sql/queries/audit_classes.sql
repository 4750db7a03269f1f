-- Access classes in use whose hash is not that of their readers.
--
-- params: tenant_no, library_no
-- Returns one row such a class, at most ten: where, 1.
SELECT 'class ' || k.acl_class_no, 1
  FROM ragspine.acl_class AS k
 WHERE k.tenant_no = %(tenant_no)s
   AND EXISTS (SELECT FROM ragspine.document AS d
                WHERE d.tenant_no = k.tenant_no AND d.library_no = %(library_no)s AND d.acl_class_no = k.acl_class_no)
   AND k.readers_sha256 <> ragspine.readers_sha256_v1(
         ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
                WHERE r.tenant_no = k.tenant_no AND r.acl_class_no = k.acl_class_no), false)
 ORDER BY k.acl_class_no
 LIMIT 10
