-- In how many of the new chunks of a class a lexeme occurs: some rows a lexeme and class, to be summed.
CREATE TEMPORARY TABLE ragspine_stage_count (
  lexeme       text COLLATE "C" NOT NULL,
  acl_class_no integer NOT NULL,
  chunk_count  integer NOT NULL
) ON COMMIT DROP
