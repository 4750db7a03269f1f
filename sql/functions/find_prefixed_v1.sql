-- The lexemes that a word with a star stands for: a group, see weigh_query_v1. Owner only.
--
-- word:    what stands before the star, as parse_query_v1 gives it.
-- number:  how many lexemes that begin with the word (in lower case, and without accents where the analyzer folds them) the
--          group holds: those in most chunks, ties in code-point order. What analysis makes of the word itself is in it besides.
-- Returns  each lexeme with its number and the chunks of the given classes that hold it, in no order. Only statistics of
--          those classes count, so a word that stands in hidden texts alone is not there. Nothing where analysis makes of the
--          word several lexemes (a run of Han): none begins with it, and it is searched as a word.
--
-- All lexemes of the version that begin with the word are looked up, hidden ones as well: the work is as much as there are.
CREATE FUNCTION ragspine.find_prefixed_v1(tenant_no integer, version_no integer, classes integer[], word text, number integer)
RETURNS TABLE (lexeme text, lexeme_no integer, chunk_count bigint)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
AS $$
#variable_conflict use_column
DECLARE
  itself text[];
  starts text[];
  analyzer text;
BEGIN
  SELECT v.analyzer, CASE v.statistics WHEN 'library' THEN ARRAY[0] ELSE classes END  -- see counted_class_v1
    INTO analyzer, classes
    FROM ragspine.index_version AS v
   WHERE v.tenant_no = find_prefixed_v1.tenant_no AND v.version_no = find_prefixed_v1.version_no;
  IF EXISTS (SELECT FROM ragspine.demanded_lexemes_v1(word, analyzer) AS d WHERE d.length > 1) THEN
    RETURN;
  END IF;
  itself := ARRAY(SELECT DISTINCT u.lexeme FROM ragspine.demanded_lexemes_v1(word, analyzer) AS d, unnest(d.lexemes) AS u(lexeme));
  starts := ARRAY(SELECT DISTINCT lower(CASE WHEN p.fold THEN ragspine.fold_accents_v1(word) ELSE word END)
                    FROM unnest(ragspine.list_analyzers_v1(analyzer)) AS m(member)
                   CROSS JOIN LATERAL ragspine.parse_analyzer_v1(m.member) AS p);
  RETURN QUERY
    WITH counted AS MATERIALIZED (
      SELECT DISTINCT l.lexeme, l.lexeme_no, s.chunk_count
        FROM unnest(starts) AS b(start)
       CROSS JOIN LATERAL (SELECT l.lexeme, l.lexeme_no
                             FROM ragspine.lexeme AS l
                            WHERE l.tenant_no = find_prefixed_v1.tenant_no AND l.version_no = find_prefixed_v1.version_no
                              AND l.lexeme >= b.start COLLATE "C" AND l.lexeme < (b.start || U&'\+10FFFF') COLLATE "C"
                           OFFSET 0) AS l
       CROSS JOIN LATERAL (SELECT sum(s.chunk_count) AS chunk_count
                             FROM ragspine.lexeme_stat AS s
                            WHERE s.tenant_no = find_prefixed_v1.tenant_no AND s.version_no = find_prefixed_v1.version_no
                              AND s.lexeme_no = l.lexeme_no AND s.acl_class_no = ANY (classes)
                           OFFSET 0) AS s
       WHERE s.chunk_count > 0
    )
    (SELECT c.lexeme, c.lexeme_no, c.chunk_count FROM counted AS c ORDER BY c.chunk_count DESC, c.lexeme COLLATE "C" LIMIT number)
    UNION
    SELECT l.lexeme, l.lexeme_no, s.chunk_count
      FROM unnest(itself) AS i(lexeme)
     CROSS JOIN LATERAL (SELECT l.lexeme, l.lexeme_no
                           FROM ragspine.lexeme AS l
                          WHERE l.tenant_no = find_prefixed_v1.tenant_no AND l.version_no = find_prefixed_v1.version_no
                            AND l.lexeme = i.lexeme COLLATE "C"
                         OFFSET 0) AS l
     CROSS JOIN LATERAL (SELECT sum(s.chunk_count) AS chunk_count
                           FROM ragspine.lexeme_stat AS s
                          WHERE s.tenant_no = find_prefixed_v1.tenant_no AND s.version_no = find_prefixed_v1.version_no
                            AND s.lexeme_no = l.lexeme_no AND s.acl_class_no = ANY (classes)
                         OFFSET 0) AS s
     WHERE s.chunk_count > 0;
END
$$;

COMMENT ON FUNCTION ragspine.find_prefixed_v1(integer, integer, integer[], text, integer)
  IS 'The lexemes that a word with a star stands for.';
