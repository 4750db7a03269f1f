-- Has the planner's statistics made where it would plan blindly.
--
-- params: tenant_no, version_no
-- Returns one row: the number of tables analysed.
SELECT ragspine.refresh_planner_v1(%(tenant_no)s, %(version_no)s)
