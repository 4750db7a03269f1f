-- The text of documents on their way in, in pages of 8192 code points.
CREATE TEMPORARY TABLE ragspine_stage_page (
  document_seq integer NOT NULL,
  page_no      integer NOT NULL,
  text         text NOT NULL,
  PRIMARY KEY (document_seq, page_no)
) ON COMMIT DROP
