-- Takes on the identity of a grant, which the database verifies.
--
-- params: grant
SELECT ragspine.assume(%(grant)s)
