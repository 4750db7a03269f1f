-- The keys that verify grants; as the owner.
--
-- No parameters. Returns one row: how many are in use.
SELECT count(*) FROM ragspine.grant_key AS k WHERE k.retired_at IS NULL
