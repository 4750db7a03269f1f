-- Locks the stored documents that the stage names, in the order of their ids.
--
-- params: tenant_no, library_no
-- Returns one row: their number. Their state is read by the next statement, which sees what was committed before the locks.
SELECT count(*)
  FROM (SELECT d.document_no
          FROM pg_temp.ragspine_stage_document AS s
          JOIN ragspine.document AS d
            ON d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = s.document_id
         ORDER BY d.document_id
           FOR UPDATE OF d) AS locked
