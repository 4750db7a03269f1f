-- Takes a signed grant back before it expires.
--
-- params: grant. Returns one row: whether there was something to take back.
SELECT ragspine.revoke(%(grant)s)
