-- Chunks of documents on their way in; a window is a span of the document, or NULL.
CREATE TEMPORARY TABLE ragspine_stage_chunk (
  chunk_seq     integer PRIMARY KEY,
  document_seq  integer NOT NULL,
  ordinal       integer NOT NULL,
  chunk_id      text COLLATE "C" NOT NULL,
  span_start    integer NOT NULL,
  span_end      integer NOT NULL,
  slice_sha256  text COLLATE "C" NOT NULL,
  window_start  integer,
  window_end    integer,
  window_sha256 text COLLATE "C",
  text          text NOT NULL
) ON COMMIT DROP
