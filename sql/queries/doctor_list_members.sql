-- Who acts with the rights of the group roles, directly or through other roles, whether inheriting or by SET ROLE.
--
-- params: groups (names). Membership with the right to hand it on alone, as the creator of a role has, does not count.
-- Returns one row a member: name, whether it can log in, is a superuser, bypasses row-level security, is or can become the
-- owner of schema ragspine, may connect to this database, may replicate; the sorted names of the groups of which it may make
-- others members (none for a superuser, who is of all), of the superusers and bypassing roles that it is a member of (none
-- for a superuser), and of its groups.
WITH RECURSIVE
  member (group_name, oid) AS (
    SELECT r.rolname::text, r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = ANY (%(groups)s::text[])
    UNION ALL
    SELECT NULL, n.nspowner FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'ragspine'
    UNION
    SELECT member.group_name, m.member
      FROM member
      JOIN pg_catalog.pg_auth_members AS m ON m.roleid = member.oid AND (m.inherit_option OR m.set_option)
  )
SELECT r.rolname::text, r.rolcanlogin, r.rolsuper, r.rolbypassrls, bool_or(member.group_name IS NULL),
       has_database_privilege(r.oid, current_database(), 'CONNECT'), r.rolreplication,
       ARRAY(SELECT g.rolname::text
               FROM pg_catalog.pg_roles AS g
              WHERE g.rolname = ANY (%(groups)s::text[]) AND g.oid <> r.oid AND NOT r.rolsuper
                AND pg_has_role(r.oid, g.oid, 'MEMBER WITH ADMIN OPTION')
              ORDER BY 1),
       ARRAY(SELECT free.rolname::text
               FROM pg_catalog.pg_roles AS free
              WHERE (free.rolsuper OR free.rolbypassrls) AND free.oid <> r.oid AND NOT r.rolsuper
                AND pg_has_role(r.oid, free.oid, 'MEMBER')
              ORDER BY 1),
       array_agg(member.group_name ORDER BY member.group_name) FILTER (WHERE member.group_name IS NOT NULL)
  FROM member
  JOIN pg_catalog.pg_roles AS r ON r.oid = member.oid
 GROUP BY r.oid, r.rolname, r.rolcanlogin, r.rolsuper, r.rolbypassrls, r.rolreplication
HAVING count(member.group_name) > 0
 ORDER BY 1
