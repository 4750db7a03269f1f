-- Makes the second temporary table of a seal: the lexemes of each segment that is done.
--
-- pairs: position and impact of each posting, `17:0.5,22:0.25`, where there are too few for a block; else null.
CREATE TEMPORARY TABLE ragspine_seal_lexeme (
  lexeme_no   integer NOT NULL,
  segment_no  integer NOT NULL,
  top         real NOT NULL,
  chunk_count integer NOT NULL,
  pairs       text
) ON COMMIT DROP
