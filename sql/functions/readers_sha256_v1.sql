-- The hash that identifies a list of readers: SHA-256 over the UTF-8 of the sorted distinct list as a JSON array.
--
-- open_to_members: the list does not matter then, and is hashed as empty.
-- A hash, since a list of 600 readers does not fit an index row.
CREATE FUNCTION ragspine.readers_sha256_v1(readers text[], open_to_members boolean)
RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT sha256(convert_to(
    CASE WHEN open_to_members THEN '[]' ELSE array_to_json(ragspine.sort_readers_v1(readers))::text END, 'UTF8'))
$$;

COMMENT ON FUNCTION ragspine.readers_sha256_v1(text[], boolean) IS 'Hash of a list of readers, whatever its order.';
