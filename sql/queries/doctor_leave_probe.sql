-- Leaves a setting in the session, to see whether somebody else finds it there.
--
-- params: token. Returns one row: the setting.
SELECT set_config('ragspine.probe', %(token)s, false)
