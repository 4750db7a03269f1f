-- Marks the staged documents whose stored text and chunks are the same, and unmarks those whose are not (any more).
--
-- Same: the same content hash (title and text), and in the version exactly the chunks of the same ids. Asked once before
-- the analysis, to spare it, and once more under the locks, to decide.
--
-- params: tenant_no, library_no, version_no, first_seq, after_seq (document_seq from the first to before the second)
UPDATE pg_temp.ragspine_stage_document AS s
   SET unchanged = NOT s.unchanged
 WHERE s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   AND s.unchanged IS DISTINCT FROM EXISTS (
         SELECT FROM ragspine.document AS d
          WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = s.document_id
            AND d.content_sha256 = s.content_sha256
            AND s.chunk_count = (
                  SELECT count(*)
                    FROM ragspine.chunk AS c
                   WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no = d.document_no)
            AND s.chunk_count = (
                  SELECT count(*)
                    FROM pg_temp.ragspine_stage_chunk AS n
                    JOIN ragspine.chunk AS c
                      ON c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.chunk_id = n.chunk_id
                     AND c.document_no = d.document_no
                   WHERE n.chunk_seq >= s.first_chunk_seq AND n.chunk_seq < s.first_chunk_seq + s.chunk_count))
