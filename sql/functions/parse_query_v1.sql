-- What a query says: its words, and the operators in it. No text is ever an error.
--
-- Returns one row a clause, in order: place from 1, occurs, kind, and content, the text that it is about.
--   occurs   'may' (scores), 'must' (has to occur, and scores) or 'not' (must not occur, and scores nothing).
--   kind     'words' (a text as it stands), 'phrase' (words next to each other), or 'prefix'. A phrase that 'may' occur has to,
--            unless one of its words occurs nowhere: read_demands_v1.
-- A query without an operator is one clause: itself.
--
-- The operators: "a phrase" (straight or typographic double quotes), +must, -exclude, both before a phrase as well, and
-- prefix*. An operator counts where a word begins, at the start or after white space:
--   + and -  directly before a letter, a digit or a phrase; the word goes on to the next white space.
--   a quote  directly before anything but white space. The next quote closes the phrase, if a word ends there: before a
--            letter, a digit, a sign or one more quote it does not. A phrase that is not closed is plain text.
--   *        after at least two letters or digits, or one of a script without spaces, and nothing else; at the word's end.
-- So `tar --verbose`, `well-known`, `a - b`, `C++`, `1-2`, `'quoted'`, `AT&T | R&D` and `5" disk` hold no operator.
-- The first 32 clauses with an operator count; what comes after them is plain text.
--
-- A query with an operator is read as analysis reads it, without characters that are not seen and with compatibility forms
-- folded, so that full-width signs are signs. Letters and digits are what is neither white space nor a mark of ASCII, of
-- Unicode's punctuation or of its symbols: by code points, the same under every locale.
CREATE FUNCTION ragspine.parse_query_v1(query text)
RETURNS TABLE (place integer, occurs text, kind text, content text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  signs CONSTANT text := '"*+\u00AB\u00BB\u201C-\u201F\u207A\u208A\u301D-\u301F\uFB29\uFE61-\uFE63\uFF02\uFF0A\uFF0B\uFF0D-';
  quote CONSTANT text := '"\u00AB\u00BB\u201C-\u201F\u301D-\u301F';
  space CONSTANT text := '\u0001-\u0020\u007F-\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000';
  letter CONSTANT text := '[^!-/:-@[-`{-~' || space || '\u00A1-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7'
    || '\u2010-\u2027\u2030-\u205E\u20A0-\u20CF\u2190-\u2BFF\u2E00-\u2E7F\u3001-\u3004\u3008-\u3020\u3030\u303D-\u303F\u30FB'
    || '\uFE10-\uFE1F\uFE30-\uFE6F\uFFFC\uFFFD\U0001F000-\U0001FAFF]';
  prefix CONSTANT text := '(?:' || letter || '{2,}|[' || ragspine.cjk_class_v1() || '])\*';
  operator CONSTANT text := '(?<![^' || space || '])(?:'
    || '[+-]?[' || quote || '][^' || space || quote || '][^' || quote || ']*[' || quote || '](?!' || letter || '|[' || quote || '+-])'
    || '|[+-]' || letter || '[^' || space || ']*'
    || '|' || prefix || '(?![^' || space || ']))';
  blank CONSTANT text := '^[' || space || ']+|[' || space || ']+$';
  most CONSTANT integer := 32;
  text text COLLATE "C" := query;
  found text[];
  plain text[];  -- what stands before each of them, and after the last
  read integer := 0;
BEGIN
  place := 0;
  occurs := 'may';
  kind := 'words';
  IF text ~ ('[' || signs || ']') THEN
    text := CASE WHEN octet_length(text) = char_length(text) THEN text ELSE normalize(ragspine.drop_ignorable_v1(text), NFKC) END;
    found := ARRAY(SELECT m.match[1] FROM regexp_matches(text, '(' || operator || ')', 'g') WITH ORDINALITY AS m(match, n)
                    ORDER BY m.n
                    LIMIT most);
    plain := regexp_split_to_array(text, operator);
  END IF;
  FOR number IN 1..coalesce(cardinality(found), 0) LOOP
    content := regexp_replace(plain[number], blank, '', 'g');
    IF content <> '' THEN
      place := place + 1;
      occurs := 'may';
      kind := 'words';
      RETURN NEXT;
    END IF;
    occurs := CASE left(found[number], 1) WHEN '+' THEN 'must' WHEN '-' THEN 'not' END;
    content := CASE WHEN occurs IS NULL THEN found[number] ELSE substr(found[number], 2) END;
    IF content ~ ('^[' || quote || ']') THEN
      kind := 'phrase';
      occurs := coalesce(occurs, 'may');
      content := substr(content, 2, length(content) - 2);
    ELSIF content ~ ('^' || prefix || '$') THEN
      kind := 'prefix';
      occurs := coalesce(occurs, 'may');
      content := left(content, -1);
    ELSE
      kind := 'words';
    END IF;
    place := place + 1;
    RETURN NEXT;
    read := read + length(plain[number]) + length(found[number]);
  END LOOP;
  content := CASE WHEN place = 0 THEN query ELSE regexp_replace(substr(text, read + 1), blank, '', 'g') END;
  IF place = 0 OR content <> '' THEN
    place := place + 1;
    occurs := 'may';
    kind := 'words';
    RETURN NEXT;
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.parse_query_v1(text) IS 'The clauses of a query: words, phrases, prefixes, and what has to occur.';
