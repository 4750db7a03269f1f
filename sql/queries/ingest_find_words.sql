-- Notes the numbers of those lexemes of the new chunks that the version knows.
--
-- The look-up per lexeme is forced (OFFSET 0): whatever the planner believes of the table, the work is that of this ingest
-- and not that of the library.
--
-- params: tenant_no, version_no
INSERT INTO pg_temp.ragspine_stage_word (lexeme, lexeme_no)
SELECT d.lexeme, k.lexeme_no
  FROM (SELECT DISTINCT c.lexeme FROM pg_temp.ragspine_stage_count AS c) AS d
 CROSS JOIN LATERAL (
        SELECT l.lexeme_no
          FROM ragspine.lexeme AS l
         WHERE l.tenant_no = %(tenant_no)s AND l.version_no = %(version_no)s AND l.lexeme = d.lexeme
        OFFSET 0) AS k
