-- The public name of assume_v1: take on the identity of a signed grant until the transaction ends.
CREATE FUNCTION ragspine.assume(signed text)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ragspine.assume_v1(signed)
$$;

COMMENT ON FUNCTION ragspine.assume(text) IS 'Take on the identity of a signed grant until the transaction ends.';
