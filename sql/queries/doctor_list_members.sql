-- Who acts with the rights of the group roles, directly or through other roles, whether inheriting or by SET ROLE.
--
-- params: groups (names). Membership with the right to hand it on alone, as the creator of a role has, does not count.
-- Returns one row a member: name, whether it can log in, is a superuser, bypasses row-level security, is the owner of schema
-- ragspine, and the sorted names of its groups.
WITH RECURSIVE
  member (group_name, oid) AS (
    SELECT r.rolname::text, r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = ANY (%(groups)s::text[])
    UNION
    SELECT member.group_name, m.member
      FROM member
      JOIN pg_catalog.pg_auth_members AS m ON m.roleid = member.oid AND (m.inherit_option OR m.set_option)
  )
SELECT r.rolname::text, r.rolcanlogin, r.rolsuper, r.rolbypassrls,
       coalesce(r.oid = (SELECT n.nspowner FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'ragspine'), false),
       array_agg(member.group_name ORDER BY member.group_name)
  FROM member
  JOIN pg_catalog.pg_roles AS r ON r.oid = member.oid
 GROUP BY r.oid, r.rolname, r.rolcanlogin, r.rolsuper, r.rolbypassrls
 ORDER BY 1
