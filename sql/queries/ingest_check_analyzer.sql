-- Raises RS002 unless the analyzer is known.
--
-- params: analyzer
-- Returns one row, of no interest.
SELECT count(*) FROM ragspine.analyze_v1('', %(analyzer)s)
