-- Gives staged documents that leave their rights or metadata as they are those of the stored document, where there is one.
--
-- Run before access classes are made, and again when the documents are locked: a relabel may have been committed meanwhile.
-- Metadata is compared as written: 1.0 and 1 are equal as jsonb.
--
-- params: tenant_no, library_no
-- Returns one row: how many were not so already.
WITH kept AS (
  UPDATE pg_temp.ragspine_stage_document AS s
     SET readers = k.readers, sensitivity = k.sensitivity, metadata = k.metadata
    FROM (SELECT t.document_seq,
                 CASE
                   WHEN NOT t.keep_readers THEN t.readers
                   WHEN a.open_to_members THEN NULL
                   ELSE ARRAY(SELECT r.principal
                                FROM ragspine.acl_reader AS r
                               WHERE r.tenant_no = a.tenant_no AND r.acl_class_no = a.acl_class_no
                               ORDER BY r.principal)
                 END AS readers,
                 CASE WHEN t.keep_sensitivity THEN a.sensitivity ELSE t.sensitivity END AS sensitivity,
                 CASE WHEN t.keep_metadata THEN d.metadata ELSE t.metadata END AS metadata
            FROM pg_temp.ragspine_stage_document AS t
            JOIN ragspine.document AS d
              ON d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = t.document_id
            JOIN ragspine.acl_class AS a ON a.tenant_no = d.tenant_no AND a.acl_class_no = d.acl_class_no
           WHERE t.keep_readers OR t.keep_sensitivity OR t.keep_metadata) AS k
   WHERE s.document_seq = k.document_seq
     AND (s.readers, s.sensitivity, s.metadata::text) IS DISTINCT FROM (k.readers, k.sensitivity, k.metadata::text)
  RETURNING s.document_seq
)
SELECT count(*) FROM kept
