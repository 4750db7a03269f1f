-- Waits for the relabels that hold a library's published version (ingest_hold_published), and holds up new ones. Locked after
-- the versions and before the documents.
--
-- params: tenant_no, library_no
-- Returns one row: library_no.
SELECT l.library_no
  FROM ragspine.library AS l
 WHERE l.tenant_no = %(tenant_no)s AND l.library_no = %(library_no)s
   FOR NO KEY UPDATE
