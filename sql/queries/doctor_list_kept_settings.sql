-- The settings that our logins' sessions begin with, of those kept in the database: where a session can be made to fail, or
-- to ask as somebody it did not name. What a group keeps is not its members', so it is not looked for.
--
-- params: logins (names of roles). Returns one row a setting: its name, whether it is row-level security's and off or one of
-- ours (else it belongs to the login alone), the role that keeps it (null: all), whether in this database alone, the
-- statement that takes it away.
SELECT kept.name, kept.harmful, kept.role, kept.here,
       'ALTER ' || CASE WHEN kept.role IS NULL AND kept.here THEN format('DATABASE %%I', current_database())
                        ELSE 'ROLE ' || coalesce('"' || replace(kept.role, '"', '""') || '"', 'ALL')
                             || CASE WHEN kept.here THEN format(' IN DATABASE %%I', current_database()) ELSE '' END END
       || ' RESET ' || (SELECT string_agg(quote_ident(part), '.') FROM unnest(string_to_array(kept.name, '.')) AS part)
  FROM (SELECT split.name, r.rolname::text AS role, s.setdatabase <> 0 AS here,
               split.name LIKE 'ragspine.%%' OR split.name = 'row_security' AND NOT split.value::boolean AS harmful
          FROM pg_catalog.pg_db_role_setting AS s
          LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = s.setrole
          LEFT JOIN pg_catalog.pg_database AS d ON d.oid = s.setdatabase
         CROSS JOIN LATERAL unnest(s.setconfig) AS entry
         CROSS JOIN LATERAL (SELECT split_part(entry, '=', 1), substr(entry, strpos(entry, '=') + 1)) AS split (name, value)
         WHERE (s.setrole = 0 OR r.rolname = ANY (%(logins)s::text[]))
           AND (s.setdatabase = 0 OR d.datname = current_database())) AS kept
 WHERE kept.harmful OR kept.role IS NOT NULL
 ORDER BY 2 DESC, 3, 1, 4
