-- Makes the first temporary table of a seal: which chunks get which places. seen: they were still there when postings were made.
CREATE TEMPORARY TABLE ragspine_seal_chunk (
  chunk_no bigint PRIMARY KEY,
  place    integer NOT NULL UNIQUE,
  seen     boolean NOT NULL DEFAULT false
) ON COMMIT DROP
