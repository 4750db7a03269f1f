-- How the statistics of a version and class change; lexeme_no 0 stands for the corpus. To be summed.
CREATE TEMPORARY TABLE ragspine_stage_delta (
  version_no   integer NOT NULL,
  acl_class_no integer NOT NULL,
  lexeme_no    integer NOT NULL,
  chunk_count  integer NOT NULL,
  total_length bigint NOT NULL
) ON COMMIT DROP
