-- What lexemes depend on besides the text: the server's major version, the locale provider and the character classification.
--
-- Returns e.g. 'postgresql 18, libc C.UTF-8'. An index version remembers it; another environment is refused (RS003), since
-- stemming and case folding may differ there. Row-to-json hides that daticulocale became datlocale in PostgreSQL 17.
CREATE FUNCTION ragspine.environment_v1()
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT 'postgresql ' || current_setting('server_version_num')::integer / 10000
      || CASE d.datlocprovider
           WHEN 'c' THEN ', libc ' || d.datctype
           WHEN 'i' THEN ', icu ' || coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') || ' ' || d.datctype
           ELSE ', builtin ' || coalesce(to_jsonb(d) ->> 'datlocale', d.datctype)
         END
    FROM pg_catalog.pg_database AS d
   WHERE d.datname = current_database()
$$;

COMMENT ON FUNCTION ragspine.environment_v1() IS 'Server major version and locale facts that lexemes depend on.';
