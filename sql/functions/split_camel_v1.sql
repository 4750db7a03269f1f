-- The parts of a word in camelCase or PascalCase, with spaces between: `getUserName` gives `get User Name`.
--
-- Returns null for an identifier with punctuation: the words in it are identifiers of their own (find_identifiers_v1).
--
-- No search_path is set, so that it is inlined; every name and operator is qualified.
CREATE FUNCTION ragspine.split_camel_v1(word text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE WHEN word OPERATOR(pg_catalog.!~) '[^[:alnum:]]' THEN
           pg_catalog.regexp_replace(
             pg_catalog.regexp_replace(word, '([[:lower:]][[:digit:]]*)(?=[[:upper:]])', '\1 ', 'g'),
             '([[:upper:]])(?=[[:upper:]][[:lower:]]{2})', '\1 ', 'g')
         END
$$;

COMMENT ON FUNCTION ragspine.split_camel_v1(text) IS 'The parts of a word in camelCase.';
