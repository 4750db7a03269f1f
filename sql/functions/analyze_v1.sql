-- What an analyzer makes of a text: its lexemes and how often each occurs, in no order. See analyze_text_v1.
--
-- Returns one row a lexeme. Unknown analyzer: RS002. No text is ever an error.
CREATE FUNCTION ragspine.analyze_v1(text text, analyzer text)
RETURNS TABLE (lexeme text, frequency integer)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT u.lexeme, u.frequency
    FROM ragspine.analyze_text_v1(text, analyzer) AS a
   CROSS JOIN LATERAL unnest(a.lexemes, a.frequencies) AS u(lexeme, frequency)
$$;

COMMENT ON FUNCTION ragspine.analyze_v1(text, text) IS 'Lexemes of a text and their frequencies under an analyzer.';
