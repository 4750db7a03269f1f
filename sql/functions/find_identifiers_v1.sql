-- The identifiers of a text, whole: names of programs, options, paths, versions, addresses, hyphenated words.
--
-- text:    normalised, with its ASCII punctuation; CJK runs replaced by spaces, so that they end an identifier.
-- Returns  one row an occurrence, as written:
--   1. [prefix] word (joiner word)* [suffix], where a word is letters and digits, a joiner is one of
--          _ __ ...   - . / : @ & \ +   :: :// -> ++ ++-
--      a prefix, at the beginning or after a space, a quote, an opening bracket or one of , ; = | >, is one of
--          - --   . / ./ ../ ~/   $ @ # \ ::   __
--      and a suffix is ++ or # or __; at least one of them is there. `pg_dump`, `HTTP/2`, `C++`, `C#`, `.NET`, `--verbose`,
--      `user@example.org`, `v1.2.3-rc1`, `std::vector`, `/etc/passwd`. So what ends a sentence is not part of it, nor is `()`.
--   2. The middle of such a one, without prefix and suffix, where that is an identifier by itself: `etc/passwd`.
--   3. Words of such a one that underscores join, where there is more to it: `pg_class` of `pg_catalog.pg_class`.
--   4. Words in camelCase or PascalCase, by themselves or as part of an identifier: a capital after a small letter (and digits
--      between), or the last of several capitals before two small letters: `getUserName`, `HTTPServer`; not `PDFs`.
--
-- An identifier of more than 255 bytes is left out, with all that is in it: it is data, and nobody types it.
CREATE FUNCTION ragspine.find_identifiers_v1(text text)
RETURNS TABLE (identifier text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH found AS MATERIALIZED (
    SELECT m.match[1] AS whole, regexp_replace(m.match[1], '^[^[:alnum:]]+|[^[:alnum:]]+$', '', 'g') AS middle
      FROM regexp_matches(
             text,
             '(?<![^[:space:]([{"''`<>,;=|])(?:--?|\.{0,2}/|~/|\.|[$@#\\]|::|__)'
             || '[[:alnum:]]+(?:(?:_+|[-./:@&\\+]|::|://|->|\+\+-?)[[:alnum:]]+)*(?:\+\+|#|__)?'
             || '|[[:alnum:]]+(?:(?:_+|[-./:@&\\+]|::|://|->|\+\+-?)[[:alnum:]]+)+(?:\+\+|#|__)?'
             || '|[[:alnum:]]+(?:\+\+|#|__)'
             || '|[[:alnum:]]*(?:[[:lower:]][[:digit:]]*[[:upper:]]|[[:upper:]]{2}[[:lower:]]{2})[[:alnum:]]*', 'g') AS m(match)
     WHERE octet_length(m.match[1]) <= 255
  )
  SELECT f.whole FROM found AS f WHERE f.whole ~ '[^[:alnum:]]'
  UNION ALL
  SELECT f.middle FROM found AS f WHERE f.middle <> f.whole AND f.middle ~ '[^[:alnum:]]'
  UNION ALL
  SELECT m.match[1]
    FROM found AS f
   CROSS JOIN LATERAL regexp_matches(f.middle, '[[:alnum:]]+(?:_+[[:alnum:]]+)+', 'g') AS m(match)
   WHERE m.match[1] <> f.middle
  UNION ALL
  SELECT m.match[1]
    FROM found AS f
   CROSS JOIN LATERAL regexp_matches(
          f.middle, '[[:alnum:]]*(?:[[:lower:]][[:digit:]]*[[:upper:]]|[[:upper:]]{2}[[:lower:]]{2})[[:alnum:]]*', 'g') AS m(match)
$$;

COMMENT ON FUNCTION ragspine.find_identifiers_v1(text) IS 'The identifiers of a text, one row an occurrence.';
