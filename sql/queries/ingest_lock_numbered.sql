-- Locks documents in the order of their ids, against writers of documents and rights.
--
-- params: tenant_no, document_nos
-- Returns one row: their number. Their state is read by the next statement, which sees what was committed before the locks.
SELECT count(*)
  FROM (SELECT d.document_no
          FROM ragspine.document AS d
         WHERE d.tenant_no = %(tenant_no)s AND d.document_no = ANY (%(document_nos)s::bigint[])
         ORDER BY d.document_id
           FOR NO KEY UPDATE) AS locked
