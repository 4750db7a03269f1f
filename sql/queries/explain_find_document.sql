-- A document as the caller sees it: its metadata.
--
-- Params:  library_id, document_id.
-- Returns: one row, or none when the caller cannot read such a document.
SELECT d.metadata
  FROM ragspine.find_document_v1(%(library_id)s, %(document_id)s) AS d(metadata)
 WHERE d.metadata IS NOT NULL
