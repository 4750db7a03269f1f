-- Refuses what is no description of a fusion, with RS006. The twin in Python is ragspine_pg/contract/fusion.py.
--
-- fusion: null, or {"method": "rrf" | "convex", "weights": {"lexical": w, "vector": w}, "libraries": {id: w},
--         "min_scores": {"lexical": s, "vector": s}}, every key optional; weights are from 0 to 1000000 and those of the legs
--         not both 0.
CREATE FUNCTION ragspine.require_fusion_v1(fusion jsonb)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  part text;
BEGIN
  IF fusion IS NULL THEN
    RETURN;
  END IF;
  IF jsonb_typeof(fusion) <> 'object' OR fusion - '{method,weights,libraries,min_scores}'::text[] <> '{}'
     OR fusion ? 'method' AND NOT fusion -> 'method' <@ '["rrf", "convex"]' THEN
    RAISE EXCEPTION 'fusion is an object of method ("rrf" or "convex"), weights, libraries and min_scores'
      USING ERRCODE = 'RS006';
  END IF;
  FOREACH part IN ARRAY '{weights,libraries,min_scores}'::text[] LOOP
    CONTINUE WHEN NOT fusion ? part;
    IF jsonb_typeof(fusion -> part) <> 'object'
       OR part <> 'libraries' AND (fusion -> part) - '{lexical,vector}'::text[] <> '{}'
       OR EXISTS (SELECT FROM jsonb_each(fusion -> part) AS e(name, number) WHERE jsonb_typeof(e.number) <> 'number') THEN
      RAISE EXCEPTION 'fusion.% is an object of numbers%', part,
        CASE WHEN part = 'libraries' THEN ' by library id' ELSE ' for lexical and vector' END USING ERRCODE = 'RS006';
    END IF;
    IF part <> 'min_scores'
       AND EXISTS (SELECT FROM jsonb_each(fusion -> part) AS e(name, number) WHERE e.number::numeric NOT BETWEEN 0 AND 1000000) THEN
      RAISE EXCEPTION 'weights are from 0 to 1000000' USING ERRCODE = 'RS006';
    END IF;
  END LOOP;
  IF coalesce(fusion #> '{weights,lexical}', '1') = '0' AND coalesce(fusion #> '{weights,vector}', '1') = '0' THEN
    RAISE EXCEPTION 'the weights of the legs are not both 0' USING ERRCODE = 'RS006';
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.require_fusion_v1(jsonb) IS 'Refuse what is no description of a fusion.';
