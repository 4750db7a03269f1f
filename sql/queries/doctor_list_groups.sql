-- Which of the group roles exist, and whether one can log in itself.
--
-- params: groups (names). Returns one row a group that exists: name, whether it can log in.
SELECT r.rolname::text, r.rolcanlogin
  FROM pg_catalog.pg_roles AS r
 WHERE r.rolname = ANY (%(groups)s::text[])
 ORDER BY 1
