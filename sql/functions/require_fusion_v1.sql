-- Refuses what is no description of a fusion, with RS006. The twin in Python is ragspine_pg/contract/fusion.py.
--
-- fusion: null, or {"method": "rrf" | "convex", "weights": {"lexical": w, "vector": w}, "libraries": {id: w},
--         "min_scores": {"lexical": s, "vector": s}}, every key optional; weights are 0 or from 0.000001 to 1000000, and those of the legs
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
     OR fusion ? 'method' AND fusion -> 'method' NOT IN ('"rrf"', '"convex"') THEN
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
    IF EXISTS (SELECT FROM jsonb_each(fusion -> part) AS e(name, number)
                CROSS JOIN LATERAL (SELECT abs(e.number::numeric) AS size) AS s
                WHERE CASE part WHEN 'min_scores' THEN s.size <> 0 AND s.size NOT BETWEEN 1e-300 AND 1e300
                                ELSE e.number::numeric <> 0 AND e.number::numeric NOT BETWEEN 0.000001 AND 1000000 END) THEN
      RAISE EXCEPTION '%', CASE part
        WHEN 'weights' THEN 'weights of the legs are 0, or numbers from 0.000001 to 1000000'
        WHEN 'libraries' THEN 'weights of libraries are 0, or numbers from 0.000001 to 1000000'
        ELSE 'least scores are 0, or numbers of a size from 1e-300 to 1e300' END USING ERRCODE = 'RS006';
    END IF;
  END LOOP;
  IF coalesce(fusion #> '{weights,lexical}', '1') = '0' AND coalesce(fusion #> '{weights,vector}', '1') = '0' THEN
    RAISE EXCEPTION 'the weights of the legs are not both 0' USING ERRCODE = 'RS006';
  END IF;
END
$$;

COMMENT ON FUNCTION ragspine.require_fusion_v1(jsonb) IS 'Refuse what is no description of a fusion.';
