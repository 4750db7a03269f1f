-- Whether a library is searched by its lexical and its vector leg, in a mode.
--
-- mode:     'auto', 'economy', 'vector' or 'hybrid'; RS006 for any other.
-- has_space: whether the version searched has an embedding space; RS005 for a mode that needs one where there is none.
-- embedded: whether the query comes as a vector; RS006 for a mode that needs one without. auto goes without, then.
CREATE FUNCTION ragspine.require_mode_v1(mode text, has_space boolean, embedded boolean, OUT lexical boolean, OUT vector boolean)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF mode IS NULL OR mode NOT IN ('auto', 'economy', 'vector', 'hybrid') THEN
    RAISE EXCEPTION 'mode is one of auto, economy, vector, hybrid' USING ERRCODE = 'RS006';
  END IF;
  IF mode IN ('vector', 'hybrid') AND NOT has_space THEN
    RAISE EXCEPTION 'mode % needs an embedding space, and a published version searched has none: rebuild it with one, or '
                    'search by mode auto', mode USING ERRCODE = 'RS005';
  END IF;
  IF mode IN ('vector', 'hybrid') AND NOT embedded THEN
    RAISE EXCEPTION 'mode % needs query_embedding and query_space', mode USING ERRCODE = 'RS006';
  END IF;
  lexical := mode <> 'vector';
  vector := mode <> 'economy' AND has_space AND embedded;
END
$$;

COMMENT ON FUNCTION ragspine.require_mode_v1(text, boolean, boolean) IS 'Which legs a library is searched by, in a mode.';
