-- Marks every document of a library as pending in a version that is new.
--
-- The documents are locked as the foreign key would lock them, so that one that is being deleted is waited for and left out.
--
-- params: tenant_no, library_no, version_no
INSERT INTO ragspine.pending_document (tenant_no, version_no, document_no)
SELECT d.tenant_no, %(version_no)s, d.document_no
  FROM ragspine.document AS d
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   FOR KEY SHARE OF d
