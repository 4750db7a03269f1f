-- Refuses a retrieval mode that cannot run: unknown (RS006), or one that needs vectors where there are none (RS005).
CREATE FUNCTION ragspine.require_mode_v1(mode text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF mode IN ('vector', 'hybrid') THEN
    RAISE EXCEPTION 'mode % needs an embedding space, and the published versions searched have none', mode
      USING ERRCODE = 'RS005';
  ELSIF mode IS NULL OR mode NOT IN ('auto', 'economy') THEN
    RAISE EXCEPTION 'mode is one of auto, economy, vector, hybrid' USING ERRCODE = 'RS006';
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.require_mode_v1(text) IS 'Refuse a retrieval mode that cannot run.';
