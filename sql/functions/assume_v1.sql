-- Takes on the identity of a signed grant until the transaction ends.
--
-- signed: a grant (see granted_v1). Pass it as a bound parameter, so that it never stands in a statement's text.
-- Raises RS008, with the reason, for a grant that does not verify; nothing is taken on then.
CREATE FUNCTION ragspine.assume_v1(signed text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  state text;
BEGIN
  PERFORM set_config('ragspine.grant', coalesce(signed, ''), true);
  SELECT g.state INTO state FROM ragspine.granted_v1() AS g;
  IF state <> 'valid' THEN
    PERFORM set_config('ragspine.grant', '', true);
    RAISE EXCEPTION 'the grant does not verify: %', state USING ERRCODE = 'RS008';
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.assume_v1(text) IS 'Take on the identity of a signed grant until the transaction ends.';
