-- The inside of a regular expression's bracket for characters that are not seen: Unicode's Default_Ignorable_Code_Point.
--
-- Soft hyphen, combining grapheme joiner, Arabic letter mark, fillers of hangul and Khmer, Mongolian variation selectors,
-- zero-width space, joiners, directional marks and isolates, word joiner and invisible operators, variation selectors, byte
-- order mark, formats of shorthand and music, tags. The whole property as of Unicode 14.
--
-- No search_path is set, so that it is inlined and folded to a constant; its only operator is qualified.
CREATE FUNCTION ragspine.ignorable_class_v1()
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT '\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F'
      OPERATOR(pg_catalog.||) '\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF'
$$;

COMMENT ON FUNCTION ragspine.ignorable_class_v1() IS 'Character ranges that are not seen, for a bracket.';
