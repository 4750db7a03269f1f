-- What the lexical index keeps of a chunk: the lexemes of its document's title and its own text, and their number.
--
-- title, text, analyzer: as analyze_text_v1 takes them; title and text are joined by a line end.
-- title_weight: how often the title counts, in frequencies and in the length (BM25F: Robertson, Zaragoza and Taylor 2004).
-- Returns one row: length (all lexemes, repeated ones included), and two arrays of equal size, lexemes and frequencies.
--
-- A sparse vector holds at most 16,000 entries. A chunk with more distinct lexemes keeps the 16,000 most frequent, equal
-- ones in code-point order, and its length stays what it was: no document is lost, its rarest words are not found.
--
-- No SET search_path, so that it is inlined into the caller's statement; every name and operator is qualified.
CREATE FUNCTION ragspine.analyze_chunk_v1(title text, text text, analyzer text, title_weight integer DEFAULT 1)
RETURNS TABLE (length integer, lexemes text[], frequencies integer[])
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT w.length,
         CASE WHEN w.distinct_count OPERATOR(pg_catalog.<=) 16000 THEN w.lexemes
              ELSE (SELECT pg_catalog.array_agg(k.lexeme)
                      FROM (SELECT u.lexeme
                              FROM ROWS FROM (pg_catalog.unnest(w.lexemes), pg_catalog.unnest(w.frequencies))
                                   AS u(lexeme, frequency)
                             ORDER BY u.frequency DESC, u.lexeme COLLATE "C"
                             LIMIT 16000) AS k)
         END,
         CASE WHEN w.distinct_count OPERATOR(pg_catalog.<=) 16000 THEN w.frequencies
              ELSE (SELECT pg_catalog.array_agg(k.frequency)
                      FROM (SELECT u.frequency
                              FROM ROWS FROM (pg_catalog.unnest(w.lexemes), pg_catalog.unnest(w.frequencies))
                                   AS u(lexeme, frequency)
                             ORDER BY u.frequency DESC, u.lexeme COLLATE "C"
                             LIMIT 16000) AS k)
         END
    FROM (SELECT (SELECT coalesce(pg_catalog.sum(f.frequency), 0)
                    FROM pg_catalog.unnest(a.frequencies) AS f(frequency))::pg_catalog.int4 AS length,
                 pg_catalog.cardinality(a.lexemes) AS distinct_count, a.lexemes, a.frequencies
            FROM ragspine.analyze_text_v1(
                   pg_catalog.repeat(title OPERATOR(pg_catalog.||) E'\n', title_weight) OPERATOR(pg_catalog.||) text, analyzer) AS a) AS w
$$;

COMMENT ON FUNCTION ragspine.analyze_chunk_v1(text, text, text, integer) IS 'Lexemes of a chunk as the lexical index keeps them.';
