-- The key of one metadata value in the index of declared fields (document_field.key), or null for a value of another type.
--
-- type: the field's declared type, 'string', 'number', 'boolean' or 'timestamp'. Null for a list: each element has a key.
-- In code-point order keys sort as the values do, though not strictly: strings are cut after 256 characters (so at most
-- 1,024 bytes; a cut by bytes would not keep the order), numbers after 1,000 digits. So equal values have equal keys, and
-- an accelerator compares keys with =, <= and >= alone. Never raises.
CREATE FUNCTION ragspine.field_key_v1(value jsonb, type text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kind CONSTANT text := jsonb_typeof(value);
BEGIN
  IF type = 'timestamp' THEN
    -- Microseconds since a moment before all that four digits of year and an offset can name: 18 digits.
    RETURN CASE WHEN kind = 'string' THEN
      lpad(((extract(epoch FROM ragspine.read_instant_v1(value #>> '{}')) + 62200000000) * 1000000)::bigint::text, 18, '0')
    END;
  END IF;
  IF kind <> type THEN
    RETURN NULL;
  END IF;
  RETURN CASE kind
    WHEN 'string' THEN left(value #>> '{}', 256)
    WHEN 'number' THEN ragspine.number_key_v1(value #>> '{}')
    WHEN 'boolean' THEN left(value #>> '{}', 1)
  END;
END
$$;

COMMENT ON FUNCTION ragspine.field_key_v1(jsonb, text) IS 'An order-preserving text key of a value of a declared field.';
