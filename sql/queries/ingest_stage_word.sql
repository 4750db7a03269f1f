-- The lexemes of the new chunks and their numbers in the version.
CREATE TEMPORARY TABLE ragspine_stage_word (
  lexeme    text COLLATE "C" PRIMARY KEY,
  lexeme_no integer NOT NULL
) ON COMMIT DROP
