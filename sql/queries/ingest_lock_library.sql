-- Locks all stored documents of a library, in the order of their ids: for an ingest that writes all impacts again.
--
-- params: tenant_no, library_no
-- Returns one row: their number.
SELECT count(*)
  FROM (SELECT d.document_no
          FROM ragspine.document AS d
         WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
         ORDER BY d.document_id
           FOR UPDATE) AS locked
