-- What a clause of a query demands under each analyzer of a version: the lexemes of its plain words. Owner only.
--
-- content:  the clause, as parse_query_v1 gives it.
-- analyzer: as analyze_v1 takes it; of a list each member is a row.
-- Returns   lexemes, and length, how many words they are: more than one is a phrase. None and 0 where all are stop words.
--
-- With +code a clause that is one identifier demands that, whole, and no phrase: `+C++` is not `+C`.
CREATE FUNCTION ragspine.demanded_lexemes_v1(content text, analyzer text)
RETURNS TABLE (member text, lexemes text[], length bigint)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  parsed record;
  normal text;
  whole text;
BEGIN
  FOREACH member IN ARRAY ragspine.list_analyzers_v1(analyzer) LOOP
    parsed := ragspine.parse_analyzer_v1(member);
    whole := NULL;
    IF parsed.code AND content !~ '[[:space:]]' THEN
      normal := normalize(ragspine.drop_ignorable_v1(content), NFKC);  -- as analyze_v1
      IF parsed.fold THEN
        normal := ragspine.fold_accents_v1(normal);
      END IF;
      SELECT lower(f.identifier) INTO whole
        FROM ragspine.find_identifiers_v1(ragspine.strip_cjk_v1(normal)) AS f
       WHERE f.identifier ~ '[^[:alnum:]]'
         AND regexp_replace(f.identifier, '[^[:alnum:]]', '', 'g') = regexp_replace(normal, '[^[:alnum:]]', '', 'g')
       ORDER BY char_length(f.identifier) DESC
       LIMIT 1;
    END IF;
    IF whole IS NOT NULL THEN
      lexemes := ARRAY[whole];
      length := 1;
    ELSE
      SELECT coalesce(array_agg(p.lexeme), '{}'), coalesce(sum(cardinality(p.places)), 0)
        INTO lexemes, length
        FROM ragspine.place_lexemes_v1(content, member) AS p;
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.demanded_lexemes_v1(text, text) IS 'What a clause demands under each analyzer of a version.';
