-- The tables of schema ragspine. Generated from ragspine_pg/schema/tables.py by
-- `python -m ragspine_pg.schema.generate`; a test holds the two equal.

CREATE SEQUENCE ragspine.batch AS BIGINT;

CREATE TABLE ragspine.grant_key (
  key_id TEXT COLLATE "C" NOT NULL,
  inner_pad BYTEA NOT NULL,
  outer_pad BYTEA NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  retired_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_grant_key PRIMARY KEY (key_id),
  CONSTRAINT ck_grant_key__key_id_is_hex CHECK (key_id ~ '^[0-9a-f]{8}$'),
  CONSTRAINT ck_grant_key__pads_are_blocks CHECK (octet_length(inner_pad) = 64 AND octet_length(outer_pad) = 64)
);

COMMENT ON TABLE ragspine.grant_key IS 'Keys that verify signed grants (HMAC-SHA-256, RFC 2104), stored as their two padded blocks. Owner only.';

ALTER TABLE ragspine.grant_key ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.revoked_grant (
  signature TEXT COLLATE "C" NOT NULL,
  expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
  CONSTRAINT pk_revoked_grant PRIMARY KEY (signature),
  CONSTRAINT ck_revoked_grant__signature_is_hex CHECK (signature ~ '^[0-9a-f]{64}$')
);

CREATE INDEX ix_revoked_grant__expires_at ON ragspine.revoked_grant (expires_at);

COMMENT ON TABLE ragspine.revoked_grant IS 'Signed grants that were taken back before they expire, by their signature. Owner only.';

ALTER TABLE ragspine.revoked_grant ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.tenant (
  tenant_no INTEGER GENERATED ALWAYS AS IDENTITY,
  tenant TEXT COLLATE "C" NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_tenant PRIMARY KEY (tenant_no),
  CONSTRAINT uq_tenant__tenant UNIQUE (tenant),
  CONSTRAINT ck_tenant__tenant_is_a_name CHECK (tenant ~ '\S' AND octet_length(tenant) <= 1024)
);

COMMENT ON TABLE ragspine.tenant IS 'Who owns data. The only key that does not begin with tenant_no is the tenant''s own name.';

ALTER TABLE ragspine.tenant ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.acl_class (
  tenant_no INTEGER NOT NULL,
  acl_class_no INTEGER GENERATED ALWAYS AS IDENTITY,
  sensitivity TEXT COLLATE "C" NOT NULL,
  open_to_members BOOLEAN NOT NULL,
  readers_sha256 BYTEA NOT NULL,
  CONSTRAINT pk_acl_class PRIMARY KEY (tenant_no, acl_class_no),
  CONSTRAINT uq_acl_class__tenant_no_readers_sha256_sensitivity_open_b474 UNIQUE (tenant_no, readers_sha256, sensitivity, open_to_members),
  CONSTRAINT uq_acl_class__tenant_no_acl_class_no_sensitivity UNIQUE (tenant_no, acl_class_no, sensitivity),
  CONSTRAINT fk_acl_class__tenant FOREIGN KEY(tenant_no) REFERENCES ragspine.tenant (tenant_no),
  CONSTRAINT ck_acl_class__sensitivity_is_a_label CHECK (sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED')),
  CONSTRAINT ck_acl_class__zero_is_no_class CHECK (acl_class_no > 0),
  CONSTRAINT ck_acl_class__readers_sha256_is_a_hash CHECK (octet_length(readers_sha256) = 32)
);

COMMENT ON TABLE ragspine.acl_class IS 'A distinct combination of readers and sensitivity. RESTRICTED is readable by nobody.';

ALTER TABLE ragspine.acl_class ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.dropped_library (
  tenant_no INTEGER NOT NULL,
  library_id TEXT COLLATE "C" NOT NULL,
  last_version INTEGER NOT NULL,
  CONSTRAINT pk_dropped_library PRIMARY KEY (tenant_no, library_id),
  CONSTRAINT fk_dropped_library__tenant FOREIGN KEY(tenant_no) REFERENCES ragspine.tenant (tenant_no),
  CONSTRAINT ck_dropped_library__library_id_is_a_name CHECK (library_id ~ '\S' AND octet_length(library_id) <= 1024),
  CONSTRAINT ck_dropped_library__last_version_is_positive CHECK (last_version > 0)
);

COMMENT ON TABLE ragspine.dropped_library IS 'Where a library made anew under an id goes on counting versions, so that an old cursor does not fit it.';

ALTER TABLE ragspine.dropped_library ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.embedding_space (
  tenant_no INTEGER NOT NULL,
  space_no INTEGER GENERATED ALWAYS AS IDENTITY,
  fingerprint TEXT COLLATE "C" NOT NULL,
  dimensions INTEGER NOT NULL,
  distance TEXT COLLATE "C" NOT NULL,
  description JSONB NOT NULL,
  CONSTRAINT pk_embedding_space PRIMARY KEY (tenant_no, space_no),
  CONSTRAINT uq_embedding_space__tenant_no_fingerprint UNIQUE (tenant_no, fingerprint),
  CONSTRAINT uq_embedding_space__tenant_no_space_no_dimensions UNIQUE (tenant_no, space_no, dimensions),
  CONSTRAINT fk_embedding_space__tenant FOREIGN KEY(tenant_no) REFERENCES ragspine.tenant (tenant_no),
  CONSTRAINT ck_embedding_space__fingerprint_is_hex CHECK (fingerprint ~ '^[0-9a-f]{32}$'),
  CONSTRAINT ck_embedding_space__dimensions_fit_a_vector CHECK (dimensions BETWEEN 1 AND 16000),
  CONSTRAINT ck_embedding_space__distance_is_known CHECK (distance IN ('cosine', 'inner_product', 'l2')),
  CONSTRAINT ck_embedding_space__description_is_an_object CHECK (jsonb_typeof(description) = 'object')
);

COMMENT ON TABLE ragspine.embedding_space IS 'Where vectors can be compared: model, revision, dimensions, prefixes, normalisation and distance.';

ALTER TABLE ragspine.embedding_space ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.library (
  tenant_no INTEGER NOT NULL,
  library_no INTEGER GENERATED ALWAYS AS IDENTITY,
  library_id TEXT COLLATE "C" NOT NULL,
  description TEXT DEFAULT '' NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_library PRIMARY KEY (tenant_no, library_no),
  CONSTRAINT uq_library__tenant_no_library_id UNIQUE (tenant_no, library_id),
  CONSTRAINT fk_library__tenant FOREIGN KEY(tenant_no) REFERENCES ragspine.tenant (tenant_no),
  CONSTRAINT ck_library__library_id_is_a_name CHECK (library_id ~ '\S' AND octet_length(library_id) <= 1024)
);

COMMENT ON TABLE ragspine.library IS 'A named set of documents of one tenant.';

ALTER TABLE ragspine.library ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.acl_reader (
  tenant_no INTEGER NOT NULL,
  principal TEXT COLLATE "C" NOT NULL,
  acl_class_no INTEGER NOT NULL,
  sensitivity TEXT COLLATE "C" NOT NULL,
  CONSTRAINT pk_acl_reader PRIMARY KEY (tenant_no, principal, acl_class_no, sensitivity),
  CONSTRAINT fk_acl_reader__acl_class FOREIGN KEY(tenant_no, acl_class_no, sensitivity) REFERENCES ragspine.acl_class (tenant_no, acl_class_no, sensitivity),
  CONSTRAINT ck_acl_reader__principal_is_a_name CHECK (principal ~ '\S' AND octet_length(principal) <= 1024)
);

CREATE INDEX ix_acl_reader__tenant_no_acl_class_no ON ragspine.acl_reader (tenant_no, acl_class_no);

COMMENT ON TABLE ragspine.acl_reader IS 'Which principal reads which class; probed by equality, which is leakproof.';

ALTER TABLE ragspine.acl_reader ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.document (
  tenant_no INTEGER NOT NULL,
  document_no BIGINT GENERATED ALWAYS AS IDENTITY,
  library_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  document_id TEXT COLLATE "C" NOT NULL,
  source_uri TEXT NOT NULL,
  title TEXT NOT NULL,
  language TEXT COLLATE "C",
  metadata JSONB NOT NULL,
  text_length INTEGER NOT NULL,
  content_sha256 TEXT COLLATE "C" NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  updated_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  CONSTRAINT pk_document PRIMARY KEY (tenant_no, document_no),
  CONSTRAINT uq_document__tenant_no_library_no_document_id UNIQUE (tenant_no, library_no, document_id),
  CONSTRAINT uq_document__tenant_no_document_no_acl_class_no UNIQUE (tenant_no, document_no, acl_class_no),
  CONSTRAINT uq_document__tenant_no_document_no_acl_class_no_text_length UNIQUE (tenant_no, document_no, acl_class_no, text_length),
  CONSTRAINT fk_document__library FOREIGN KEY(tenant_no, library_no) REFERENCES ragspine.library (tenant_no, library_no),
  CONSTRAINT fk_document__acl_class FOREIGN KEY(tenant_no, acl_class_no) REFERENCES ragspine.acl_class (tenant_no, acl_class_no),
  CONSTRAINT ck_document__document_id_is_a_name CHECK (document_id ~ '\S' AND octet_length(document_id) <= 1024),
  CONSTRAINT ck_document__metadata_is_an_object CHECK (jsonb_typeof(metadata) = 'object'),
  CONSTRAINT ck_document__text_length_is_a_count CHECK (text_length >= 0),
  CONSTRAINT ck_document__content_sha256_is_a_hash CHECK (content_sha256 ~ '^[0-9a-f]{64}$')
);

CREATE INDEX ix_document__tenant_no_library_no_acl_class_no ON ragspine.document (tenant_no, library_no, acl_class_no);

COMMENT ON TABLE ragspine.document IS 'A stored document; text_length in code points, content_sha256 over title and text (see sql/README.md).';

CREATE STATISTICS ragspine.st_document__tenant_no_library_no (dependencies) ON tenant_no, library_no FROM ragspine.document;

ALTER TABLE ragspine.document ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.index_version (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER GENERATED ALWAYS AS IDENTITY,
  library_no INTEGER NOT NULL,
  version INTEGER NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  analyzer TEXT COLLATE "C" NOT NULL,
  k1 DOUBLE PRECISION NOT NULL,
  b DOUBLE PRECISION NOT NULL,
  pivot DOUBLE PRECISION NOT NULL,
  statistics TEXT COLLATE "C" DEFAULT 'class' NOT NULL,
  profile JSONB NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  space_no INTEGER,
  dimensions INTEGER,
  lexeme_count INTEGER DEFAULT '0' NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
  published_at TIMESTAMP WITH TIME ZONE,
  CONSTRAINT pk_index_version PRIMARY KEY (tenant_no, version_no),
  CONSTRAINT uq_index_version__tenant_no_library_no_version UNIQUE (tenant_no, library_no, version),
  CONSTRAINT uq_index_version__tenant_no_version_no_space_no_dimensions UNIQUE (tenant_no, version_no, space_no, dimensions),
  CONSTRAINT fk_index_version__library FOREIGN KEY(tenant_no, library_no) REFERENCES ragspine.library (tenant_no, library_no),
  CONSTRAINT fk_index_version__embedding_space FOREIGN KEY(tenant_no, space_no, dimensions) REFERENCES ragspine.embedding_space (tenant_no, space_no, dimensions),
  CONSTRAINT ck_index_version__space_has_dimensions CHECK ((space_no IS NULL) = (dimensions IS NULL)),
  CONSTRAINT ck_index_version__state_is_known CHECK (state IN ('building', 'verified', 'published', 'retired', 'failed', 'dropped')),
  CONSTRAINT ck_index_version__version_counts_from_one CHECK (version >= 1),
  CONSTRAINT ck_index_version__k1_is_finite CHECK (k1 >= 0 AND k1 < 'infinity'),
  CONSTRAINT ck_index_version__b_is_a_share CHECK (b BETWEEN 0 AND 1),
  CONSTRAINT ck_index_version__pivot_is_positive CHECK (pivot > 0 AND pivot < 'infinity'),
  CONSTRAINT ck_index_version__statistics_are_known CHECK (statistics IN ('class', 'library')),
  CONSTRAINT ck_index_version__lexeme_count_fits_a_sparsevec CHECK (lexeme_count BETWEEN 0 AND 999999999),
  CONSTRAINT ck_index_version__published_has_a_time CHECK ((state = 'published') <= (published_at IS NOT NULL))
);

CREATE UNIQUE INDEX uq_index_version__published ON ragspine.index_version (tenant_no, library_no) WHERE state = 'published';

COMMENT ON TABLE ragspine.index_version IS 'How a library''s documents are indexed: the whole profile, and the locale facts its lexemes depend on.';

ALTER TABLE ragspine.index_version ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.library_field (
  tenant_no INTEGER NOT NULL,
  field_no INTEGER GENERATED ALWAYS AS IDENTITY,
  library_no INTEGER NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  CONSTRAINT pk_library_field PRIMARY KEY (tenant_no, field_no),
  CONSTRAINT uq_library_field__tenant_no_library_no_name UNIQUE (tenant_no, library_no, name),
  CONSTRAINT uq_library_field__tenant_no_library_no_field_no UNIQUE (tenant_no, library_no, field_no),
  CONSTRAINT fk_library_field__library FOREIGN KEY(tenant_no, library_no) REFERENCES ragspine.library (tenant_no, library_no) ON DELETE CASCADE,
  CONSTRAINT ck_library_field__name_is_a_name CHECK (name ~ '\S' AND octet_length(name) <= 1024),
  CONSTRAINT ck_library_field__type_is_known CHECK (type IN ('string', 'number', 'boolean', 'timestamp'))
);

COMMENT ON TABLE ragspine.library_field IS 'A metadata field the library declares: it has an index, and timestamps compare as instants.';

ALTER TABLE ragspine.library_field ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.corpus_stat (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  batch_no BIGINT NOT NULL,
  chunk_count INTEGER NOT NULL,
  total_length BIGINT NOT NULL,
  CONSTRAINT pk_corpus_stat PRIMARY KEY (tenant_no, version_no, acl_class_no, batch_no),
  CONSTRAINT fk_corpus_stat__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE
);

COMMENT ON TABLE ragspine.corpus_stat IS 'Chunks and their length by class, and of the library under 0: the sum over batches. Folded by optimize.';

CREATE STATISTICS ragspine.st_corpus_stat__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.corpus_stat;

ALTER TABLE ragspine.corpus_stat ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.document_field (
  tenant_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  document_no BIGINT NOT NULL,
  acl_class_no INTEGER NOT NULL,
  CONSTRAINT pk_document_field PRIMARY KEY (tenant_no, field_no, acl_class_no, key, document_no),
  CONSTRAINT fk_document_field__document FOREIGN KEY(tenant_no, document_no, acl_class_no) REFERENCES ragspine.document (tenant_no, document_no, acl_class_no) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT fk_document_field__library_field FOREIGN KEY(tenant_no, field_no) REFERENCES ragspine.library_field (tenant_no, field_no) ON DELETE CASCADE,
  CONSTRAINT ck_document_field__key_fits CHECK (octet_length(key) <= 1024)
);

CREATE INDEX ix_document_field__tenant_no_document_no ON ragspine.document_field (tenant_no, document_no);

COMMENT ON TABLE ragspine.document_field IS 'Values of declared fields as order-preserving text keys, cut to a length: it narrows, it decides nothing.';

ALTER TABLE ragspine.document_field ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.document_page (
  tenant_no INTEGER NOT NULL,
  document_no BIGINT NOT NULL,
  page_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  text TEXT NOT NULL,
  CONSTRAINT pk_document_page PRIMARY KEY (tenant_no, document_no, page_no),
  CONSTRAINT fk_document_page__document FOREIGN KEY(tenant_no, document_no, acl_class_no) REFERENCES ragspine.document (tenant_no, document_no, acl_class_no) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT ck_document_page__page_fits CHECK (page_no >= 0 AND char_length(text) BETWEEN 1 AND 8192)
);

COMMENT ON TABLE ragspine.document_page IS 'The text in pages of 8192 code points, the last one shorter: cutting a slice reads only its pages.';

ALTER TABLE ragspine.document_page ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.lexeme (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  lexeme_no INTEGER NOT NULL,
  lexeme TEXT COLLATE "C" NOT NULL,
  CONSTRAINT pk_lexeme PRIMARY KEY (tenant_no, version_no, lexeme),
  CONSTRAINT uq_lexeme__tenant_no_version_no_lexeme_no UNIQUE (tenant_no, version_no, lexeme_no),
  CONSTRAINT fk_lexeme__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE,
  CONSTRAINT ck_lexeme__lexeme_no_fits_a_sparsevec CHECK (lexeme_no BETWEEN 1 AND 999999999)
);

COMMENT ON TABLE ragspine.lexeme IS 'The words of a version, numbered. No reader sees it: a word can come from a text the caller may not read.';

CREATE STATISTICS ragspine.st_lexeme__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.lexeme;

ALTER TABLE ragspine.lexeme ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.lexeme_stat (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  lexeme_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  batch_no BIGINT NOT NULL,
  chunk_count INTEGER NOT NULL,
  CONSTRAINT pk_lexeme_stat PRIMARY KEY (tenant_no, version_no, lexeme_no, acl_class_no, batch_no),
  CONSTRAINT fk_lexeme_stat__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE
);

COMMENT ON TABLE ragspine.lexeme_stat IS 'Document frequency by class, or of the library under 0: the sum over batches. Folded by optimize.';

CREATE STATISTICS ragspine.st_lexeme_stat__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.lexeme_stat;

ALTER TABLE ragspine.lexeme_stat ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.parent_window (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  window_no BIGINT GENERATED ALWAYS AS IDENTITY,
  document_no BIGINT NOT NULL,
  document_length INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  slice_sha256 TEXT COLLATE "C" NOT NULL,
  CONSTRAINT pk_parent_window PRIMARY KEY (tenant_no, version_no, window_no),
  CONSTRAINT uq_parent_window__tenant_no_version_no_document_no_span_8d18 UNIQUE (tenant_no, version_no, document_no, span_start, span_end),
  CONSTRAINT uq_parent_window__tenant_no_version_no_document_no_window_no UNIQUE (tenant_no, version_no, document_no, window_no),
  CONSTRAINT fk_parent_window__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE,
  CONSTRAINT fk_parent_window__document FOREIGN KEY(tenant_no, document_no, acl_class_no, document_length) REFERENCES ragspine.document (tenant_no, document_no, acl_class_no, text_length) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT ck_parent_window__span_inside_document CHECK (span_start >= 0 AND span_end > span_start AND span_end <= document_length),
  CONSTRAINT ck_parent_window__slice_sha256_is_a_hash CHECK (slice_sha256 ~ '^[0-9a-f]{64}$')
);

CREATE INDEX ix_parent_window__tenant_no_document_no ON ragspine.parent_window (tenant_no, document_no);

COMMENT ON TABLE ragspine.parent_window IS 'A parent window: a span of its document, kept once and shared by its chunks.';

ALTER TABLE ragspine.parent_window ALTER COLUMN document_no SET (n_distinct = -0.1);

CREATE STATISTICS ragspine.st_parent_window__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.parent_window;

ALTER TABLE ragspine.parent_window ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.pending_document (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  document_no BIGINT NOT NULL,
  CONSTRAINT pk_pending_document PRIMARY KEY (tenant_no, version_no, document_no),
  CONSTRAINT fk_pending_document__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE,
  CONSTRAINT fk_pending_document__document FOREIGN KEY(tenant_no, document_no) REFERENCES ragspine.document (tenant_no, document_no) ON DELETE CASCADE
);

CREATE INDEX ix_pending_document__tenant_no_document_no ON ragspine.pending_document (tenant_no, document_no);

COMMENT ON TABLE ragspine.pending_document IS 'Documents that a live version other than the published one still lacks.';

ALTER TABLE ragspine.pending_document ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.posting_block (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  lexeme_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  impacts @vector@.sparsevec(4000) NOT NULL,
  CONSTRAINT pk_posting_block PRIMARY KEY (tenant_no, version_no, acl_class_no, lexeme_no, segment_no),
  CONSTRAINT fk_posting_block__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE
)
 WITH (toast_tuple_target = 8160);

COMMENT ON TABLE ragspine.posting_block IS 'A lexeme that is frequent in a segment: the impact in each of its chunks, by place.';

ALTER TABLE ragspine.posting_block ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.posting_list (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  run_no INTEGER NOT NULL,
  first_lexeme_no INTEGER NOT NULL,
  lexeme_nos INTEGER[] NOT NULL,
  tops REAL[] NOT NULL,
  frequencies INTEGER[] NOT NULL,
  starts INTEGER[] NOT NULL,
  places INTEGER[] NOT NULL,
  impacts REAL[] NOT NULL,
  CONSTRAINT pk_posting_list PRIMARY KEY (tenant_no, version_no, acl_class_no, run_no, first_lexeme_no),
  CONSTRAINT fk_posting_list__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE
);

COMMENT ON TABLE ragspine.posting_list IS '64 lexemes of a run: largest impact, postings in blocks, and the postings that are in none.';

ALTER TABLE ragspine.posting_list ALTER COLUMN places SET STORAGE EXTERNAL;

ALTER TABLE ragspine.posting_list ALTER COLUMN impacts SET STORAGE EXTERNAL;

ALTER TABLE ragspine.posting_list ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.posting_segment (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  run_no INTEGER NOT NULL,
  chunk_nos BIGINT[] NOT NULL,
  CONSTRAINT pk_posting_segment PRIMARY KEY (tenant_no, version_no, acl_class_no, segment_no),
  CONSTRAINT fk_posting_segment__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE,
  CONSTRAINT ck_posting_segment__chunks_fit_the_segment CHECK (cardinality(chunk_nos) BETWEEN 1 AND 4000)
);

COMMENT ON TABLE ragspine.posting_segment IS 'Sealed chunks of one class, by their place. Runs, numbered by their first segment, were sealed together.';

ALTER TABLE ragspine.posting_segment ALTER COLUMN chunk_nos SET STORAGE EXTERNAL;

ALTER TABLE ragspine.posting_segment ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.chunk (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  chunk_no BIGINT GENERATED ALWAYS AS IDENTITY,
  document_no BIGINT NOT NULL,
  document_length INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  chunk_id TEXT COLLATE "C" NOT NULL,
  ordinal INTEGER NOT NULL,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  slice_sha256 TEXT COLLATE "C" NOT NULL,
  window_no BIGINT,
  text TEXT NOT NULL,
  CONSTRAINT pk_chunk PRIMARY KEY (tenant_no, version_no, chunk_no),
  CONSTRAINT uq_chunk__tenant_no_version_no_chunk_id UNIQUE (tenant_no, version_no, chunk_id),
  CONSTRAINT uq_chunk__tenant_no_version_no_document_no_ordinal UNIQUE (tenant_no, version_no, document_no, ordinal),
  CONSTRAINT uq_chunk__class UNIQUE (tenant_no, version_no, acl_class_no, chunk_no, document_no),
  CONSTRAINT fk_chunk__index_version FOREIGN KEY(tenant_no, version_no) REFERENCES ragspine.index_version (tenant_no, version_no) ON DELETE CASCADE,
  CONSTRAINT fk_chunk__document FOREIGN KEY(tenant_no, document_no, acl_class_no, document_length) REFERENCES ragspine.document (tenant_no, document_no, acl_class_no, text_length) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT fk_chunk__parent_window FOREIGN KEY(tenant_no, version_no, document_no, window_no) REFERENCES ragspine.parent_window (tenant_no, version_no, document_no, window_no),
  CONSTRAINT ck_chunk__chunk_id_is_hex CHECK (chunk_id ~ '^[0-9a-f]{32}$'),
  CONSTRAINT ck_chunk__ordinal_counts_from_zero CHECK (ordinal >= 0),
  CONSTRAINT ck_chunk__span_inside_document CHECK (span_start >= 0 AND span_end >= span_start AND span_end <= document_length),
  CONSTRAINT ck_chunk__text_fills_its_span CHECK (char_length(text) = span_end - span_start),
  CONSTRAINT ck_chunk__slice_sha256_is_of_text CHECK (slice_sha256 = encode(sha256(convert_to(text, 'UTF8')), 'hex'))
);

CREATE INDEX ix_chunk__tenant_no_document_no ON ragspine.chunk (tenant_no, document_no);

CREATE INDEX ix_chunk__tenant_no_version_no_document_no_window_no ON ragspine.chunk (tenant_no, version_no, document_no, window_no);

COMMENT ON TABLE ragspine.chunk IS 'A retrievable passage: a verbatim slice of its document. An empty one stands for a title without text.';

ALTER TABLE ragspine.chunk ALTER COLUMN document_no SET (n_distinct = -0.02);

CREATE STATISTICS ragspine.st_chunk__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.chunk;

ALTER TABLE ragspine.chunk ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.chunk_embedding (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  space_no INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  document_no BIGINT NOT NULL,
  chunk_no BIGINT NOT NULL,
  embedding @vector@.vector NOT NULL,
  CONSTRAINT pk_chunk_embedding PRIMARY KEY (tenant_no, version_no, acl_class_no, document_no, chunk_no),
  CONSTRAINT fk_chunk_embedding__chunk FOREIGN KEY(tenant_no, version_no, acl_class_no, chunk_no, document_no) REFERENCES ragspine.chunk (tenant_no, version_no, acl_class_no, chunk_no, document_no) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT fk_chunk_embedding__index_version FOREIGN KEY(tenant_no, version_no, space_no, dimensions) REFERENCES ragspine.index_version (tenant_no, version_no, space_no, dimensions) ON DELETE CASCADE,
  CONSTRAINT ck_chunk_embedding__embedding_has_its_dimensions CHECK (@vector@.vector_dims(embedding) = dimensions),
  CONSTRAINT ck_chunk_embedding__embedding_has_a_length CHECK (@vector@.vector_norm(embedding) BETWEEN 1e-15 AND 1e15)
)
 WITH (toast_tuple_target = 8160);

COMMENT ON TABLE ragspine.chunk_embedding IS 'A chunk as the vector leg sees it. RESTRICTED text has none: it is not embedded.';

CREATE STATISTICS ragspine.st_chunk_embedding__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.chunk_embedding;

ALTER TABLE ragspine.chunk_embedding ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.chunk_lexical (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  chunk_no BIGINT NOT NULL,
  document_no BIGINT NOT NULL,
  length INTEGER NOT NULL,
  impacts @vector@.sparsevec(1000000000) NOT NULL,
  CONSTRAINT pk_chunk_lexical PRIMARY KEY (tenant_no, version_no, acl_class_no, chunk_no),
  CONSTRAINT fk_chunk_lexical__chunk FOREIGN KEY(tenant_no, version_no, acl_class_no, chunk_no, document_no) REFERENCES ragspine.chunk (tenant_no, version_no, acl_class_no, chunk_no, document_no) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT ck_chunk_lexical__length_is_a_count CHECK (length >= 0)
)
 WITH (toast_tuple_target = 8160);

COMMENT ON TABLE ragspine.chunk_lexical IS 'A chunk as BM25 sees it: its length in lexemes, and the impact of each (lexeme_no: impact).';

CREATE STATISTICS ragspine.st_chunk_lexical__tenant_no_version_no (dependencies) ON tenant_no, version_no FROM ragspine.chunk_lexical;

ALTER TABLE ragspine.chunk_lexical ENABLE ROW LEVEL SECURITY;

CREATE TABLE ragspine.lexical_tail (
  tenant_no INTEGER NOT NULL,
  version_no INTEGER NOT NULL,
  acl_class_no INTEGER NOT NULL,
  chunk_no BIGINT NOT NULL,
  CONSTRAINT pk_lexical_tail PRIMARY KEY (tenant_no, version_no, acl_class_no, chunk_no),
  CONSTRAINT fk_lexical_tail__chunk_lexical FOREIGN KEY(tenant_no, version_no, acl_class_no, chunk_no) REFERENCES ragspine.chunk_lexical (tenant_no, version_no, acl_class_no, chunk_no) ON DELETE CASCADE ON UPDATE CASCADE
);

COMMENT ON TABLE ragspine.lexical_tail IS 'Chunks that no posting of their class holds yet: scored by themselves until optimize seals them.';

ALTER TABLE ragspine.lexical_tail ENABLE ROW LEVEL SECURITY;
