-- What each term of the query adds to the lexical scores of chunks.
--
-- Params:  version_no, query, chunk_ids.
-- Returns: a row a chunk and lexeme, by chunk id and lexeme in code-point order; none for what the caller cannot read.
SELECT s.chunk_id, s.lexeme, s.frequency, s.idf, s.impact, s.contribution
  FROM ragspine.explain_scores_v1(%(version_no)s, %(query)s, %(chunk_ids)s::text[]) AS s
