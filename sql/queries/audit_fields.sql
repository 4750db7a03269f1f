-- Documents whose field keys are not those of their metadata.
--
-- params: tenant_no, library_no
-- Returns one row such a document, at most ten: where, by how many keys.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
 CROSS JOIN LATERAL (
        SELECT
          FROM (SELECT DISTINCT k.field_no, k.key
                  FROM ragspine.document_field_keys_v1(d.metadata, d.tenant_no, d.library_no) AS k) AS due
          FULL JOIN (SELECT f.field_no, f.key
                       FROM ragspine.document_field AS f
                      WHERE f.tenant_no = d.tenant_no AND f.document_no = d.document_no) AS stored
            ON stored.field_no = due.field_no AND stored.key = due.key
         WHERE stored.key IS NULL OR due.key IS NULL) AS wrong
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
