-- Opens a search: identity, and whether row-level security binds this login.
--
-- Params:  grant (signed), single_login ('on' or 'off').
-- Returns: one row; the last column holds the warnings. Raises RS008 (grant) and RS007 (login).
SELECT ragspine.assume(%(grant)s),
       pg_catalog.set_config('ragspine.single_login', %(single_login)s, true),
       ragspine.require_backstop_v1()
