-- Who the current transaction may act for: the verified content of its signed grant.
--
-- Reads the setting ragspine.grant, `rg1.<key id>.<expiry, seconds since 1970>.<base64url of {"nonce": ...,
-- "principals": [...], "tenant": ...}>.<HMAC-SHA-256 in hex>`, signed over everything before the last dot. The payload's nonce,
-- like any other key, is not read: it makes the text, and so the signature, that grant's alone.
-- Returns one row: state ('valid', 'missing', 'malformed', 'unknown key', 'forged', 'expired' or 'revoked') and, where valid,
--         the tenant's number (null for a tenant that is unknown here) and the principals.
--
-- SECURITY DEFINER: only the owner may read grant_key and revoked_grant. HMAC is RFC 2104 over the two stored pads. Both sides
-- of the comparison are hashed with a nonce that is fresh each time, so that its timing tells nothing of the right signature.
-- Nothing of the payload is parsed before the signature holds. Expiry is judged by statement_timestamp(): a grant that ran
-- out in the middle of a transaction is no grant for the next statement. That time stands still for as long as one message
-- runs, a DO block that loops for days, so the clock judges as well, a minute later: a search that has begun may end.
-- Whether it was revoked is one look into an index, by the signature as it was given, in the statement that reads the key.
CREATE FUNCTION ragspine.granted_v1(OUT state text, OUT tenant_no integer, OUT principals text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
SET plan_cache_mode = force_generic_plan  -- look-ups by key: planned once a session, the plan cannot depend on the numbers
SET enable_seqscan = off  -- not even where a table has been empty for long, and is no more
AS $$
DECLARE
  given CONSTANT text := current_setting('ragspine.grant', true);
  part CONSTANT text[] := string_to_array(given, '.');
  nonce bytea;
  expected text;
  revoked boolean;
  expires timestamptz;
  payload jsonb;
BEGIN
  IF coalesce(given, '') = '' THEN
    state := 'missing';
    RETURN;
  END IF;
  IF cardinality(part) <> 5 OR part[1] <> 'rg1' OR part[3] !~ '^[0-9]{1,11}$' THEN
    state := 'malformed';
    RETURN;
  END IF;
  SELECT encode(
           sha256(k.outer_pad || sha256(k.inner_pad || convert_to(left(given, -1 - length(part[5])), 'UTF8'))), 'hex'),
         EXISTS (SELECT FROM ragspine.revoked_grant AS r WHERE r.signature = part[5])
    INTO expected, revoked
    FROM ragspine.grant_key AS k
   WHERE k.key_id = part[2] AND k.retired_at IS NULL;
  IF expected IS NULL THEN
    state := 'unknown key';
    RETURN;
  END IF;
  nonce := uuid_send(gen_random_uuid());
  IF sha256(nonce || convert_to(expected, 'UTF8')) <> sha256(nonce || convert_to(part[5], 'UTF8')) THEN
    state := 'forged';
    RETURN;
  END IF;
  expires := to_timestamp(part[3]::double precision);
  IF expires < statement_timestamp() OR expires + interval '1 minute' < clock_timestamp() THEN
    state := 'expired';
    RETURN;
  END IF;
  IF revoked THEN
    state := 'revoked';
    RETURN;
  END IF;
  payload := convert_from(
    decode(rpad(translate(part[4], '-_', '+/'), (length(part[4]) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb;
  -- Signed, so whoever holds a key wrote it; still only what Access can hold is taken.
  IF jsonb_typeof(payload -> 'tenant') IS DISTINCT FROM 'string'
     OR jsonb_typeof(payload -> 'principals') IS DISTINCT FROM 'array'
     OR EXISTS (SELECT FROM jsonb_array_elements(payload -> 'principals') AS p(principal)
                 WHERE jsonb_typeof(p.principal) <> 'string' OR p.principal #>> '{}' !~ '\S') THEN
    state := 'malformed';
    RETURN;
  END IF;
  state := 'valid';
  SELECT coalesce(array_agg(p.principal), '{}') INTO principals
    FROM jsonb_array_elements_text(payload -> 'principals') AS p(principal);
  SELECT t.tenant_no INTO tenant_no FROM ragspine.tenant AS t WHERE t.tenant = payload ->> 'tenant' COLLATE "C";
END
$$;

COMMENT ON FUNCTION ragspine.granted_v1() IS 'The verified content of the transaction''s signed grant.';
