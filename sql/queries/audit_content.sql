-- Documents whose pages are not the text they count and hash.
--
-- params: tenant_no, library_no
-- Returns one row such a document, at most ten: where, 1.
SELECT 'document ' || d.document_id, 1
  FROM ragspine.document AS d
 CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(g.text, '' ORDER BY g.page_no), '') AS text, count(*) AS pages,
               coalesce(max(g.page_no) + 1, 0) AS last_page,
               coalesce(bool_and(char_length(g.text) = least(8192, d.text_length - 8192 * g.page_no)), true) AS full_pages
          FROM ragspine.document_page AS g
         WHERE g.tenant_no = d.tenant_no AND g.document_no = d.document_no) AS p
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND (char_length(p.text) <> d.text_length OR p.pages <> p.last_page OR NOT p.full_pages
        OR ragspine.document_sha256_v1(d.title, p.text) <> d.content_sha256)
 ORDER BY d.document_id
 LIMIT 10
