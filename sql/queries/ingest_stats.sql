-- Numbers about a library, for its administrator.
--
-- params: tenant_no, library_no, version_no
-- Returns one row: documents, characters of stored text, chunks, summed length in lexemes, distinct lexemes in use, rows of
-- statistics (folded and not). Where the version has statistics = 'library', lexemes of RESTRICTED texts alone do not count.
SELECT (SELECT count(*) FROM ragspine.document AS d
         WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s),
       (SELECT coalesce(sum(d.text_length), 0)::bigint FROM ragspine.document AS d
         WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s),
       (SELECT coalesce(sum(c.chunk_count), 0)::bigint FROM ragspine.corpus_stat AS c
         WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.acl_class_no > 0),
       (SELECT coalesce(sum(c.total_length), 0)::bigint FROM ragspine.corpus_stat AS c
         WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.acl_class_no > 0),
       (SELECT count(*)
          FROM (SELECT FROM ragspine.lexeme_stat AS s
                 WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s
                 GROUP BY s.lexeme_no
                HAVING sum(s.chunk_count) <> 0) AS used),
       (SELECT count(*) FROM ragspine.lexeme_stat AS s
         WHERE s.tenant_no = %(tenant_no)s AND s.version_no = %(version_no)s)
     + (SELECT count(*) FROM ragspine.corpus_stat AS c
         WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s)
