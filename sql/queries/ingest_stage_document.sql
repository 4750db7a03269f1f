-- Documents on their way in, numbered in the order they came.
--
-- readers NULL: every member of the tenant. A document's chunks are chunk_count rows of the chunk stage from first_chunk_seq.
CREATE TEMPORARY TABLE ragspine_stage_document (
  document_seq    integer PRIMARY KEY,
  document_id     text COLLATE "C" NOT NULL,
  source_uri      text NOT NULL,
  title           text NOT NULL,
  language        text COLLATE "C",
  metadata        jsonb NOT NULL,
  readers         text[],
  sensitivity     text COLLATE "C" NOT NULL,
  text_length     integer NOT NULL,
  content_sha256  text COLLATE "C" NOT NULL,
  first_chunk_seq integer NOT NULL,
  chunk_count     integer NOT NULL,
  keep_readers    boolean NOT NULL,
  keep_sensitivity boolean NOT NULL,
  keep_metadata   boolean NOT NULL,
  unchanged       boolean NOT NULL DEFAULT false
) ON COMMIT DROP
