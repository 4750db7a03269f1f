-- Adds a tenant unless it is there; waits for a transaction that is just adding it.
--
-- params: tenant
INSERT INTO ragspine.tenant (tenant) VALUES (%(tenant)s) ON CONFLICT (tenant) DO NOTHING
