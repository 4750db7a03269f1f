-- Versions whose lexeme numbers are not exactly 1 to lexeme_count.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row such a version: where, by how many numbers the counter is off.
SELECT 'version ' || v.version, abs(v.lexeme_count - n.number)
  FROM ragspine.index_version AS v
 CROSS JOIN LATERAL (
        SELECT count(*) AS number, coalesce(min(l.lexeme_no), 1) AS lowest, coalesce(max(l.lexeme_no), 0) AS highest
          FROM ragspine.lexeme AS l
         WHERE l.tenant_no = v.tenant_no AND l.version_no = v.version_no) AS n
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND (n.number <> v.lexeme_count OR n.lowest <> 1 OR n.highest <> v.lexeme_count)
 ORDER BY v.version
