-- Whether a staged document of a range will be embedded: one that is not known to be unchanged and says its label itself, a
-- label that the version embeds.
--
-- params: tenant_no, version_no, first_seq, after_seq (document_seq from the first to before the second)
SELECT EXISTS (SELECT
                 FROM ragspine.index_version AS v
                CROSS JOIN pg_temp.ragspine_stage_document AS s
                WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
                  AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
                  AND s.chunk_count > 0 AND NOT s.unchanged AND NOT s.keep_sensitivity
                  AND ragspine.embeds_v1(v.profile, s.sensitivity))
