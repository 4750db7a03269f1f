-- The text search configuration behind a Snowball analyzer's name.
--
-- analyzer: the name of a configuration of pg_catalog, exactly as written there.
-- Returns   it as regconfig. Unknown: RS002. Only pg_catalog is looked at, so that no schema on a path can slip in another.
CREATE FUNCTION ragspine.text_search_config_v1(analyzer text)
RETURNS regconfig
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  config regconfig;
BEGIN
  SELECT c.oid INTO config
    FROM pg_catalog.pg_ts_config AS c
   WHERE c.cfgname = analyzer AND c.cfgnamespace = 'pg_catalog'::regnamespace;
  IF config IS NULL THEN
    RAISE EXCEPTION 'unknown analyzer; known are cjk, multilingual, simple and the languages of pg_catalog.pg_ts_config (english, ...)'
      USING ERRCODE = 'RS002';
  END IF;
  RETURN config;
END
$$;

COMMENT ON FUNCTION ragspine.text_search_config_v1(text) IS 'The pg_catalog text search configuration of that name.';
