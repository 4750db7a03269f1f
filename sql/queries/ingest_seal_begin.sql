-- Has a seal be the only one in its version, and the version's deletion wait for its end; it waits for nobody.
--
-- params: tenant_no, version_no
-- Returns one row: whether it may go on. Not while another one is at it, nor in a version that is being given up.
SELECT coalesce((SELECT pg_catalog.pg_try_advisory_xact_lock(8241999, v.version_no)
                   FROM (SELECT v.version_no
                           FROM ragspine.index_version AS v
                          WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s AND v.state <> 'dropped'
                            FOR KEY SHARE SKIP LOCKED) AS v), false)
