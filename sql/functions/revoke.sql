-- The public name of revoke_v1: take a signed grant back before it expires. For the ingest login; see revoke_v1.
CREATE FUNCTION ragspine.revoke(signed text)
RETURNS boolean
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ragspine.revoke_v1(signed)
$$;

COMMENT ON FUNCTION ragspine.revoke(text) IS 'Take a signed grant back before it expires.';
