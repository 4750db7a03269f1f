-- The public name of analyze_v1, sorted: what an analyzer makes of a text.
CREATE FUNCTION ragspine.analyze(text text, analyzer text)
RETURNS TABLE (lexeme text, frequency integer)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT a.lexeme, a.frequency FROM ragspine.analyze_v1(text, analyzer) AS a ORDER BY a.lexeme COLLATE "C"
$$;

COMMENT ON FUNCTION ragspine.analyze(text, text) IS 'Lexemes of a text and their frequencies, in code-point order.';
