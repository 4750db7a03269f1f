-- The number of an embedding space, made if it is new; waits for a transaction that is just making it.
--
-- params: tenant_no, fingerprint, dimensions, distance, description (JSON text)
-- Returns one row: space_no.
WITH added AS (
  INSERT INTO ragspine.embedding_space (tenant_no, fingerprint, dimensions, distance, description)
  VALUES (%(tenant_no)s, %(fingerprint)s, %(dimensions)s, %(distance)s, %(description)s::jsonb)
  ON CONFLICT (tenant_no, fingerprint) DO UPDATE SET fingerprint = excluded.fingerprint
  RETURNING space_no
)
SELECT space_no FROM added
