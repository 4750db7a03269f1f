-- Numbers the lexemes of the new chunks that the version does not know, in code-point order, and moves its counter.
--
-- The version's row is locked by now, so nobody else numbers lexemes.
--
-- params: tenant_no, version_no
WITH numbered AS MATERIALIZED (
  SELECT u.lexeme, v.lexeme_count + row_number() OVER (ORDER BY u.lexeme) AS lexeme_no
    FROM (SELECT DISTINCT c.lexeme
            FROM pg_temp.ragspine_stage_count AS c
           WHERE NOT EXISTS (SELECT FROM pg_temp.ragspine_stage_word AS w WHERE w.lexeme = c.lexeme)) AS u
   CROSS JOIN ragspine.index_version AS v
   WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
), added AS (
  INSERT INTO ragspine.lexeme (tenant_no, version_no, lexeme_no, lexeme)
  SELECT %(tenant_no)s, %(version_no)s, n.lexeme_no, n.lexeme
    FROM numbered AS n
   ORDER BY n.lexeme_no
), noted AS (
  INSERT INTO pg_temp.ragspine_stage_word (lexeme, lexeme_no)
  SELECT n.lexeme, n.lexeme_no
    FROM numbered AS n
)
UPDATE ragspine.index_version AS v
   SET lexeme_count = v.lexeme_count + a.number
  FROM (SELECT count(*)::integer AS number FROM numbered) AS a
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s AND a.number > 0
