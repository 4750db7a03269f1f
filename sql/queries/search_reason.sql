-- Why a search without hits found nothing by words, if the query itself says so.
--
-- Params:  version_nos, query.
-- Returns: one row: null, or the reason (search_reason_v1).
SELECT ragspine.search_reason_v1(%(version_nos)s::integer[], %(query)s)
