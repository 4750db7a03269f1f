-- The query's lexemes in one version, with their statistics over what the caller may read.
--
-- Params:  version_no, query.
-- Returns: a row a lexeme, in code-point order.
SELECT t.lexeme, t.frequency, t.chunk_count, t.idf
  FROM ragspine.query_terms_v1(%(version_no)s, %(query)s) AS t
