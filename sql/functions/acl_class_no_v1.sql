-- The number of the access class for a combination of readers and sensitivity; made if it does not exist yet.
--
-- tenant_no:       whose class.
-- sensitivity:     PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED (the table refuses any other).
-- open_to_members: readable by every principal of the tenant; then readers do not matter and are stored as none.
-- readers:         principals in any order; repeated ones count once. Empty: nobody.
-- Returns          acl_class_no. Waits for a transaction that is just making the same class.
--
-- Runs with the caller's rights: only the ingest authority may insert classes.
CREATE FUNCTION ragspine.acl_class_no_v1(tenant_no integer, sensitivity text, open_to_members boolean, readers text[])
RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  listed CONSTANT text[] := CASE WHEN $3 THEN '{}'::text[] ELSE ragspine.sort_readers_v1($4) END;
  hash CONSTANT bytea := ragspine.readers_sha256_v1($4, $3);
  found_no integer;
BEGIN
  -- Each statement sees what was committed before it began, so the loop ends once the other transaction has.
  LOOP
    SELECT c.acl_class_no INTO found_no
      FROM ragspine.acl_class AS c
     WHERE c.tenant_no = $1 AND c.readers_sha256 = hash AND c.sensitivity = $2 AND c.open_to_members = $3;
    IF found_no IS NOT NULL THEN
      RETURN found_no;
    END IF;
    INSERT INTO ragspine.acl_class (tenant_no, sensitivity, open_to_members, readers_sha256)
    VALUES ($1, $2, $3, hash)
    ON CONFLICT DO NOTHING
    RETURNING acl_class_no INTO found_no;
    IF found_no IS NOT NULL THEN
      INSERT INTO ragspine.acl_reader (tenant_no, principal, acl_class_no, sensitivity)
      SELECT $1, r.principal, found_no, $2
        FROM unnest(listed) AS r(principal);
      RETURN found_no;
    END IF;
  END LOOP;
END
$$;

COMMENT ON FUNCTION ragspine.acl_class_no_v1(integer, text, boolean, text[]) IS 'Number of an access class, made on first use.';
