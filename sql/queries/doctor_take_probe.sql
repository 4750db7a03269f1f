-- Whether the session has the setting that doctor_leave_probe left in another one; it is removed.
--
-- params: token. Returns one row: whether it was there, and the setting as it is afterwards.
WITH found AS MATERIALIZED (
  SELECT coalesce(current_setting('ragspine.probe', true), '') AS value
)
SELECT found.value = %(token)s, set_config('ragspine.probe', CASE found.value WHEN %(token)s THEN '' ELSE found.value END, false)
  FROM found
