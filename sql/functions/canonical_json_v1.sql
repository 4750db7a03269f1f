-- Canonical JSON (RFC 8785) of any jsonb; numbers as canonical_number_v1 writes them. Python's twin gives the same bytes.
--
-- Keys are sorted by UTF-16 code units, as RFC 8785 asks. That is the order of code points, but for U+E000 to U+FFFF,
-- which come after all supplementary characters (whose surrogates are D800 to DFFF). So each of those is prefixed with
-- U+10FFFF, the last code point, and a real U+10FFFF is followed by U+0001, to stay before them; then COLLATE "C".
--
-- No recursion: jsonb nests thousands deep within max_stack_depth, a function calling itself a few hundred. A stack of
-- what is still to be written instead: entry n is a text and, where it has children, the value to open after that text.
CREATE FUNCTION ragspine.canonical_json_v1(value jsonb)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  last_character CONSTANT text := chr(1114111);
  above_surrogates CONSTANT text := '([' || chr(57344) || '-' || chr(65535) || '])';
  texts text[] := ARRAY[coalesce(ragspine.canonical_scalar_v1(value), '')];
  opened jsonb[] := ARRAY[CASE WHEN ragspine.canonical_scalar_v1(value) IS NULL THEN value END];
  waiting integer := 1;
  parts text[] := '{}';
  written integer := 0;
  parent jsonb;
  child record;
BEGIN
  WHILE waiting > 0 LOOP
    written := written + 1;
    parts[written] := texts[waiting];
    parent := opened[waiting];
    IF parent IS NULL THEN
      waiting := waiting - 1;
    ELSIF jsonb_typeof(parent) = 'array' THEN
      texts[waiting] := ']';
      opened[waiting] := NULL;
      FOR child IN
        SELECT CASE WHEN e.position = 1 THEN '[' ELSE ',' END AS lead, ragspine.canonical_scalar_v1(e.value) AS scalar, e.value
          FROM jsonb_array_elements(parent) WITH ORDINALITY AS e(value, position)
         ORDER BY e.position DESC
      LOOP
        waiting := waiting + 1;
        texts[waiting] := child.lead || coalesce(child.scalar, '');
        opened[waiting] := CASE WHEN child.scalar IS NULL THEN child.value END;
      END LOOP;
    ELSE
      texts[waiting] := '}';
      opened[waiting] := NULL;
      FOR child IN
        SELECT CASE WHEN row_number() OVER in_order = 1 THEN '{' ELSE ',' END || to_json(e.key)::text || ':' AS lead,
               ragspine.canonical_scalar_v1(e.value) AS scalar, e.value
          FROM jsonb_each(parent) AS e
        WINDOW in_order AS (ORDER BY regexp_replace(
                 replace(e.key, last_character, last_character || chr(1)) COLLATE "C",
                 above_surrogates, last_character || '\1', 'g'))
         ORDER BY row_number() OVER in_order DESC
      LOOP
        waiting := waiting + 1;
        texts[waiting] := child.lead || coalesce(child.scalar, '');
        opened[waiting] := CASE WHEN child.scalar IS NULL THEN child.value END;
      END LOOP;
    END IF;
  END LOOP;
  RETURN array_to_string(parts, '');
END
$$;

COMMENT ON FUNCTION ragspine.canonical_json_v1(jsonb) IS 'Canonical JSON (RFC 8785) of any jsonb.';
