-- Takes a signed grant back before it expires: from the next statement on that sees this transaction's work, it is none.
--
-- signed: a grant (see granted_v1). Pass it as a bound parameter, so that it never stands in a statement's text.
-- Returns whether there was something to take back: false for a grant that has expired or was revoked before.
-- Raises RS008, with the reason, for a grant that does not verify.
--
-- The transaction's own grant stays as it is. What has expired, for granted_v1's clock too, is removed from the list, which so
-- never holds more than was signed for a day.
-- SECURITY DEFINER: only the owner may write revoked_grant. It takes what verifies alone, so nobody can fill the list with
-- what was never signed, and who knows a grant can already use it.
CREATE FUNCTION ragspine.revoke_v1(signed text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed
AS $$
DECLARE
  own CONSTANT text := coalesce(current_setting('ragspine.grant', true), '');
  state text;
BEGIN
  PERFORM set_config('ragspine.grant', coalesce(signed, ''), true);
  SELECT g.state INTO state FROM ragspine.granted_v1() AS g;
  PERFORM set_config('ragspine.grant', own, true);
  IF state IN ('expired', 'revoked') THEN
    RETURN false;
  END IF;
  IF state <> 'valid' THEN
    RAISE EXCEPTION 'the grant does not verify: %', state USING ERRCODE = 'RS008';
  END IF;
  -- Whoever else removes them at this moment is not waited for.
  DELETE FROM ragspine.revoked_grant AS r
   WHERE r.signature IN (SELECT e.signature FROM ragspine.revoked_grant AS e
                          WHERE e.expires_at + interval '1 minute' < clock_timestamp() FOR UPDATE SKIP LOCKED);
  INSERT INTO ragspine.revoked_grant (signature, expires_at)
  VALUES (split_part(signed, '.', 5), to_timestamp(split_part(signed, '.', 3)::double precision))
      ON CONFLICT DO NOTHING;
  RETURN FOUND;
END
$$;

COMMENT ON FUNCTION ragspine.revoke_v1(text) IS 'Take a signed grant back before it expires.';
