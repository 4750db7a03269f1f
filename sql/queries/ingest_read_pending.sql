-- Reads the next documents that a version lacks, in the order of their numbers: so many and so long at most, but one at least.
--
-- Documents are looked up by their key (OFFSET 0), whatever the planner expects of a tenant.
--
-- params: tenant_no, version_no, after_no, last_no (documents with numbers above the one and up to the other), number, length (code
-- points)
-- Returns one row a document: document_no, acl_class_no, content_sha256, document_id, text, title, source_uri, metadata (JSON
-- text), readers (text[], null: every member), sensitivity, language.
WITH next AS MATERIALIZED (
  SELECT n.document_no, sum(d.text_length) OVER (ORDER BY n.document_no) - d.text_length AS before
    FROM (SELECT p.document_no
            FROM ragspine.pending_document AS p
           WHERE p.tenant_no = %(tenant_no)s AND p.version_no = %(version_no)s
             AND p.document_no > %(after_no)s AND p.document_no <= %(last_no)s
           ORDER BY p.document_no
           LIMIT %(number)s) AS n
   CROSS JOIN LATERAL (
          SELECT x.text_length
            FROM ragspine.document AS x
           WHERE x.tenant_no = %(tenant_no)s AND x.document_no = n.document_no
          OFFSET 0) AS d
)
SELECT n.document_no, d.acl_class_no, d.content_sha256, d.document_id, g.text, d.title, d.source_uri, d.metadata,
       CASE WHEN NOT a.open_to_members THEN
         ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
                WHERE r.tenant_no = %(tenant_no)s AND r.acl_class_no = d.acl_class_no)
       END,
       a.sensitivity, d.language
  FROM next AS n
 CROSS JOIN LATERAL (
        SELECT x.acl_class_no, x.content_sha256, x.document_id, x.title, x.source_uri, x.metadata::text AS metadata, x.language
          FROM ragspine.document AS x
         WHERE x.tenant_no = %(tenant_no)s AND x.document_no = n.document_no
        OFFSET 0) AS d
 CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(x.text, '' ORDER BY x.page_no), '') AS text
          FROM ragspine.document_page AS x
         WHERE x.tenant_no = %(tenant_no)s AND x.document_no = n.document_no
        OFFSET 0) AS g
  JOIN ragspine.acl_class AS a ON a.tenant_no = %(tenant_no)s AND a.acl_class_no = d.acl_class_no
 WHERE n.before < %(length)s
 ORDER BY n.document_no
