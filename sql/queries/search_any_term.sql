-- Whether analysis leaves anything of a query, for the reason of a result without hits.
--
-- Params:  query, analyzers.
SELECT EXISTS (SELECT FROM unnest(%(analyzers)s::text[]) AS a(analyzer), ragspine.analyze_v1(%(query)s, a.analyzer))
