-- Whether an index version embeds text of a label: RESTRICTED never, CONFIDENTIAL by no remote model unless the library opts
-- in, and nothing where there is no model.
--
-- profile: the version's.
-- Returns  true or false, never null: callers ask for the opposite, too.
CREATE FUNCTION ragspine.embeds_v1(profile jsonb, sensitivity text)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(profile ? 'embedding' AND CASE sensitivity
    WHEN 'PUBLIC' THEN true
    WHEN 'INTERNAL' THEN true
    WHEN 'CONFIDENTIAL' THEN profile #> '{embedding,remote}' IS NOT DISTINCT FROM 'false'
                             OR profile -> 'embed_confidential' IS NOT DISTINCT FROM 'true'
    ELSE false
  END, false)
$$;

COMMENT ON FUNCTION ragspine.embeds_v1(jsonb, text) IS 'Whether an index version embeds text of a label.';
