-- What is done with each staged document, decided under the locks.
--
-- existed: it was stored before. rewrite: its text or chunks are new. touch: its attribution, metadata or rights are.
CREATE TEMPORARY TABLE ragspine_stage_plan (
  document_seq     integer PRIMARY KEY,
  document_no      bigint,
  old_acl_class_no integer,
  acl_class_no     integer NOT NULL,
  existed          boolean NOT NULL,
  rewrite          boolean NOT NULL,
  touch            boolean NOT NULL
) ON COMMIT DROP
