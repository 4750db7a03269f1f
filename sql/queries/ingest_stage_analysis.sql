-- What the analyzer made of staged chunks. Arrays of words hardly compress, and are read three times: kept as they are.
CREATE TEMPORARY TABLE ragspine_stage_analysis (
  chunk_seq    integer PRIMARY KEY,
  document_seq integer NOT NULL,
  length       integer NOT NULL,
  lexemes      text[] STORAGE EXTERNAL COLLATE "C" NOT NULL,
  frequencies  integer[] STORAGE EXTERNAL NOT NULL
) ON COMMIT DROP
