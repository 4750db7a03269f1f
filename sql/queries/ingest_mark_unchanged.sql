-- Marks the staged documents whose stored text and chunks are the same, and unmarks those whose are not (any more).
--
-- Same: the same content hash (title and text), in the version exactly the chunks of the same ids, and in no version of the
-- library that takes documents another analyzer, which in a list goes by the language. Asked once before
-- the analysis, to spare it, and once more under the locks, to decide. Documents and chunks are looked up by their keys
-- (OFFSET 0), whatever the planner expects of a tenant.
--
-- params: tenant_no, library_no, version_no, first_seq, after_seq (document_seq from the first to before the second)
UPDATE pg_temp.ragspine_stage_document AS s
   SET unchanged = NOT s.unchanged
 WHERE s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   AND s.unchanged IS DISTINCT FROM EXISTS (
         SELECT
           FROM (SELECT x.document_no, x.language
                   FROM ragspine.document AS x
                  WHERE x.tenant_no = %(tenant_no)s AND x.library_no = %(library_no)s AND x.document_id = s.document_id
                    AND x.content_sha256 = s.content_sha256
                 OFFSET 0) AS d
          WHERE (d.language IS NOT DISTINCT FROM s.language
                 OR NOT EXISTS (
                      SELECT
                        FROM ragspine.index_version AS v
                       WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
                         AND v.state IN ('building', 'verified', 'published', 'retired')
                         AND ragspine.document_analyzer_v1(v.analyzer, d.language)
                             <> ragspine.document_analyzer_v1(v.analyzer, s.language)))
            AND s.chunk_count = (
                  SELECT count(*)
                    FROM ragspine.chunk AS c
                   WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no = d.document_no)
            AND s.chunk_count = (
                  SELECT count(*)
                    FROM pg_temp.ragspine_stage_chunk AS n
                   CROSS JOIN LATERAL (
                          SELECT
                            FROM ragspine.chunk AS c
                           WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.chunk_id = n.chunk_id
                             AND c.document_no = d.document_no
                          OFFSET 0) AS c
                   WHERE n.chunk_seq >= s.first_chunk_seq AND n.chunk_seq < s.first_chunk_seq + s.chunk_count))
