-- Gives staged documents that leave their rights as they are those of the stored document, where there is one.
--
-- Run before access classes are made, and again when the documents are locked: a relabel that was committed meanwhile is
-- kept too.
--
-- params: tenant_no, library_no
UPDATE pg_temp.ragspine_stage_document AS s
   SET readers = CASE
         WHEN NOT s.keep_readers THEN s.readers
         WHEN a.open_to_members THEN NULL
         ELSE ARRAY(SELECT r.principal
                      FROM ragspine.acl_reader AS r
                     WHERE r.tenant_no = a.tenant_no AND r.acl_class_no = a.acl_class_no
                     ORDER BY r.principal)
       END,
       sensitivity = CASE WHEN s.keep_sensitivity THEN a.sensitivity ELSE s.sensitivity END
  FROM ragspine.document AS d
  JOIN ragspine.acl_class AS a ON a.tenant_no = d.tenant_no AND a.acl_class_no = d.acl_class_no
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = s.document_id
   AND (s.keep_readers OR s.keep_sensitivity)
