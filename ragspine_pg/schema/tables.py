"""The tables of schema ``ragspine``, as SQLAlchemy metadata: the one source of truth for their shape.

Two kinds of tables. *Source of truth*: tenant, library, library_field, acl_class, acl_reader, document, document_page,
document_field. *Derived*, one set an index version, made again by a rebuild: parent_window, chunk, chunk_lexical,
chunk_embedding, lexeme, lexeme_stat, corpus_stat, lexical_tail, posting_segment, posting_block, posting_list;
pending_document lists what a version still lacks. dropped_library is what a drop leaves.

Every key of tenants' data begins with ``tenant_no``. A document's rights are one integer, ``acl_class_no``; the tables
below a document repeat it for row-level security, kept equal by foreign keys that cascade on update, so that a relabel
is one UPDATE of one row. Spans lie inside their document by a foreign key on its length. See docs/adr/.
"""

from pgvector.sqlalchemy import SPARSEVEC, VECTOR
from sqlalchemy import (
    ARRAY,
    DDL,
    REAL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Sequence,
    Table,
    Text,
    UniqueConstraint,
    event,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from ragspine_pg.contract.posting import SEGMENT
from ragspine_pg.statement.render import PLACEHOLDER

SCHEMA = "ragspine"

metadata = MetaData(
    schema=SCHEMA,
    naming_convention={
        "ix": "ix_%(table_name)s__%(column_0_N_name)s",
        "uq": "uq_%(table_name)s__%(column_0_N_name)s",
        "ck": "ck_%(table_name)s__%(constraint_name)s",
        "fk": "fk_%(table_name)s__%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    },
)


def _id(name: str) -> Column[str]:
    """A name given by the application: compared by code point, never blank, short enough for an index row."""
    return Column(name, Text(collation="C"), nullable=False)


def _id_check(name: str) -> CheckConstraint:
    return CheckConstraint(rf"{name} ~ '\S' AND octet_length({name}) <= 1024", name=f"{name}_is_a_name")


def _now(name: str) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.now())


# One number a writing transaction, for the append-only statistics: concurrent writers never meet on one row.
batch_sequence = Sequence("batch", metadata=metadata, data_type=BigInteger)

grant_key = Table(
    "grant_key",
    metadata,
    Column("key_id", Text(collation="C"), nullable=False),
    Column("inner_pad", LargeBinary, nullable=False),
    Column("outer_pad", LargeBinary, nullable=False),
    _now("created_at"),
    Column("retired_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("key_id"),
    CheckConstraint("key_id ~ '^[0-9a-f]{8}$'", name="key_id_is_hex"),
    CheckConstraint("octet_length(inner_pad) = 64 AND octet_length(outer_pad) = 64", name="pads_are_blocks"),
    comment="Keys that verify signed grants (HMAC-SHA-256, RFC 2104), stored as their two padded blocks. Owner only.",
)

revoked_grant = Table(
    "revoked_grant",
    metadata,
    Column("signature", Text(collation="C"), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("signature"),
    Index(None, "expires_at"),
    CheckConstraint("signature ~ '^[0-9a-f]{64}$'", name="signature_is_hex"),
    comment="Signed grants that were taken back before they expire, by their signature. Owner only.",
)

tenant = Table(
    "tenant",
    metadata,
    Column("tenant_no", Integer, Identity(always=True), nullable=False),
    _id("tenant"),
    _now("created_at"),
    PrimaryKeyConstraint("tenant_no"),
    UniqueConstraint("tenant"),
    _id_check("tenant"),
    comment="Who owns data. The only key that does not begin with tenant_no is the tenant's own name.",
)

library = Table(
    "library",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("library_no", Integer, Identity(always=True), nullable=False),
    _id("library_id"),
    Column("description", Text, nullable=False, server_default=""),
    _now("created_at"),
    PrimaryKeyConstraint("tenant_no", "library_no"),
    UniqueConstraint("tenant_no", "library_id"),
    ForeignKeyConstraint(["tenant_no"], [tenant.c.tenant_no]),
    _id_check("library_id"),
    comment="A named set of documents of one tenant.",
)

dropped_library = Table(
    "dropped_library",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    _id("library_id"),
    Column("last_version", Integer, nullable=False),
    PrimaryKeyConstraint("tenant_no", "library_id"),
    ForeignKeyConstraint(["tenant_no"], [tenant.c.tenant_no]),
    _id_check("library_id"),
    CheckConstraint("last_version > 0", name="last_version_is_positive"),
    comment="Where a library made anew under an id goes on counting versions, so that an old cursor does not fit it.",
)

library_field = Table(
    "library_field",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("field_no", Integer, Identity(always=True), nullable=False),
    Column("library_no", Integer, nullable=False),
    _id("name"),
    Column("type", Text(collation="C"), nullable=False),
    PrimaryKeyConstraint("tenant_no", "field_no"),
    UniqueConstraint("tenant_no", "library_no", "name"),
    UniqueConstraint("tenant_no", "library_no", "field_no"),
    ForeignKeyConstraint(["tenant_no", "library_no"], [library.c.tenant_no, library.c.library_no], ondelete="CASCADE"),
    _id_check("name"),
    CheckConstraint("type IN ('string', 'number', 'boolean', 'timestamp')", name="type_is_known"),
    comment="A metadata field the library declares: it has an index, and timestamps compare as instants.",
)

acl_class = Table(
    "acl_class",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("acl_class_no", Integer, Identity(always=True), nullable=False),
    Column("sensitivity", Text(collation="C"), nullable=False),
    Column("open_to_members", Boolean, nullable=False),
    Column("readers_sha256", LargeBinary, nullable=False),
    PrimaryKeyConstraint("tenant_no", "acl_class_no"),
    UniqueConstraint("tenant_no", "readers_sha256", "sensitivity", "open_to_members"),
    UniqueConstraint("tenant_no", "acl_class_no", "sensitivity"),
    ForeignKeyConstraint(["tenant_no"], [tenant.c.tenant_no]),
    CheckConstraint(
        "sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED')", name="sensitivity_is_a_label"
    ),
    # Statistics of a whole library stand under 0 (sql/functions/counted_class_v1.sql).
    CheckConstraint("acl_class_no > 0", name="zero_is_no_class"),
    CheckConstraint("octet_length(readers_sha256) = 32", name="readers_sha256_is_a_hash"),
    comment="A distinct combination of readers and sensitivity. RESTRICTED is readable by nobody.",
)

acl_reader = Table(
    "acl_reader",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    _id("principal"),
    Column("acl_class_no", Integer, nullable=False),
    Column("sensitivity", Text(collation="C"), nullable=False),
    # With the class's label, so that the classes of a principal are listed from this index alone.
    PrimaryKeyConstraint("tenant_no", "principal", "acl_class_no", "sensitivity"),
    ForeignKeyConstraint(
        ["tenant_no", "acl_class_no", "sensitivity"],
        [acl_class.c.tenant_no, acl_class.c.acl_class_no, acl_class.c.sensitivity],
    ),
    Index(None, "tenant_no", "acl_class_no"),
    _id_check("principal"),
    comment="Which principal reads which class; probed by equality, which is leakproof.",
)

document = Table(
    "document",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("document_no", BigInteger, Identity(always=True), nullable=False),
    Column("library_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    _id("document_id"),
    Column("source_uri", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text(collation="C")),
    Column("metadata", JSONB, nullable=False),
    Column("text_length", Integer, nullable=False),
    Column("content_sha256", Text(collation="C"), nullable=False),
    _now("created_at"),
    _now("updated_at"),
    PrimaryKeyConstraint("tenant_no", "document_no"),
    UniqueConstraint("tenant_no", "library_no", "document_id"),
    UniqueConstraint("tenant_no", "document_no", "acl_class_no"),
    UniqueConstraint("tenant_no", "document_no", "acl_class_no", "text_length"),
    Index(None, "tenant_no", "library_no", "acl_class_no"),
    # None for acl_class_no alone: classes are never deleted, and without statistics the planner would take such an
    # index for the foreign keys of the tables below, which is quadratic in the documents of a class.
    ForeignKeyConstraint(["tenant_no", "library_no"], [library.c.tenant_no, library.c.library_no]),
    ForeignKeyConstraint(["tenant_no", "acl_class_no"], [acl_class.c.tenant_no, acl_class.c.acl_class_no]),
    _id_check("document_id"),
    CheckConstraint("jsonb_typeof(metadata) = 'object'", name="metadata_is_an_object"),
    CheckConstraint("text_length >= 0", name="text_length_is_a_count"),
    CheckConstraint("content_sha256 ~ '^[0-9a-f]{64}$'", name="content_sha256_is_a_hash"),
    comment="A stored document; text_length in code points, content_sha256 over title and text (see sql/README.md).",
)

_DOCUMENT_CLASS = [document.c.tenant_no, document.c.document_no, document.c.acl_class_no]
_DOCUMENT_LENGTH = [*_DOCUMENT_CLASS, document.c.text_length]

document_page = Table(
    "document_page",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("document_no", BigInteger, nullable=False),
    Column("page_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("tenant_no", "document_no", "page_no"),
    ForeignKeyConstraint(
        ["tenant_no", "document_no", "acl_class_no"], _DOCUMENT_CLASS, onupdate="CASCADE", ondelete="CASCADE"
    ),
    CheckConstraint("page_no >= 0 AND char_length(text) BETWEEN 1 AND 8192", name="page_fits"),
    comment="The text in pages of 8192 code points, the last one shorter: cutting a slice reads only its pages.",
)

document_field = Table(
    "document_field",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("field_no", Integer, nullable=False),
    Column("key", Text(collation="C"), nullable=False),
    Column("document_no", BigInteger, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    # The class before the key: what others' values are changes nothing of the work that finding one's own takes.
    PrimaryKeyConstraint("tenant_no", "field_no", "acl_class_no", "key", "document_no"),
    Index(None, "tenant_no", "document_no"),
    ForeignKeyConstraint(
        ["tenant_no", "document_no", "acl_class_no"], _DOCUMENT_CLASS, onupdate="CASCADE", ondelete="CASCADE"
    ),
    ForeignKeyConstraint(
        ["tenant_no", "field_no"], [library_field.c.tenant_no, library_field.c.field_no], ondelete="CASCADE"
    ),
    CheckConstraint("octet_length(key) <= 1024", name="key_fits"),
    comment="Values of declared fields as order-preserving text keys, cut to a length: it narrows, it decides nothing.",
)

embedding_space = Table(
    "embedding_space",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("space_no", Integer, Identity(always=True), nullable=False),
    Column("fingerprint", Text(collation="C"), nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("distance", Text(collation="C"), nullable=False),
    Column("description", JSONB, nullable=False),
    PrimaryKeyConstraint("tenant_no", "space_no"),
    UniqueConstraint("tenant_no", "fingerprint"),
    UniqueConstraint("tenant_no", "space_no", "dimensions"),
    ForeignKeyConstraint(["tenant_no"], [tenant.c.tenant_no]),
    CheckConstraint("fingerprint ~ '^[0-9a-f]{32}$'", name="fingerprint_is_hex"),
    CheckConstraint("dimensions BETWEEN 1 AND 16000", name="dimensions_fit_a_vector"),
    CheckConstraint("distance IN ('cosine', 'inner_product', 'l2')", name="distance_is_known"),
    CheckConstraint("jsonb_typeof(description) = 'object'", name="description_is_an_object"),
    comment="Where vectors can be compared: model, revision, dimensions, prefixes, normalisation and distance.",
)

index_version = Table(
    "index_version",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, Identity(always=True), nullable=False),
    Column("library_no", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", Text(collation="C"), nullable=False),
    Column("analyzer", Text(collation="C"), nullable=False),
    Column("k1", Double, nullable=False),
    Column("b", Double, nullable=False),
    Column("pivot", Double, nullable=False),
    Column("statistics", Text(collation="C"), nullable=False, server_default="class"),
    Column("profile", JSONB, nullable=False),
    Column("environment", Text(collation="C"), nullable=False),
    Column("space_no", Integer),
    Column("dimensions", Integer),
    Column("lexeme_count", Integer, nullable=False, server_default="0"),
    _now("created_at"),
    Column("published_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("tenant_no", "version_no"),
    UniqueConstraint("tenant_no", "library_no", "version"),
    UniqueConstraint("tenant_no", "version_no", "space_no", "dimensions"),
    Index(
        "uq_index_version__published",
        "tenant_no",
        "library_no",
        unique=True,
        postgresql_where=text("state = 'published'"),
    ),
    ForeignKeyConstraint(["tenant_no", "library_no"], [library.c.tenant_no, library.c.library_no]),
    ForeignKeyConstraint(
        ["tenant_no", "space_no", "dimensions"],
        [embedding_space.c.tenant_no, embedding_space.c.space_no, embedding_space.c.dimensions],
    ),
    CheckConstraint("(space_no IS NULL) = (dimensions IS NULL)", name="space_has_dimensions"),
    CheckConstraint(
        "state IN ('building', 'verified', 'published', 'retired', 'failed', 'dropped')", name="state_is_known"
    ),
    CheckConstraint("version >= 1", name="version_counts_from_one"),
    CheckConstraint("k1 >= 0 AND k1 < 'infinity'", name="k1_is_finite"),
    CheckConstraint("b BETWEEN 0 AND 1", name="b_is_a_share"),
    CheckConstraint("pivot > 0 AND pivot < 'infinity'", name="pivot_is_positive"),
    CheckConstraint("statistics IN ('class', 'library')", name="statistics_are_known"),
    CheckConstraint("lexeme_count BETWEEN 0 AND 999999999", name="lexeme_count_fits_a_sparsevec"),
    CheckConstraint("(state = 'published') <= (published_at IS NOT NULL)", name="published_has_a_time"),
    comment="How a library's documents are indexed: the whole profile, and the locale facts its lexemes depend on.",
)

_VERSION = [index_version.c.tenant_no, index_version.c.version_no]

parent_window = Table(
    "parent_window",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("window_no", BigInteger, Identity(always=True), nullable=False),
    Column("document_no", BigInteger, nullable=False),
    Column("document_length", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("span_start", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("slice_sha256", Text(collation="C"), nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "window_no"),
    UniqueConstraint("tenant_no", "version_no", "document_no", "span_start", "span_end"),
    UniqueConstraint("tenant_no", "version_no", "document_no", "window_no"),
    Index(None, "tenant_no", "document_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    ForeignKeyConstraint(
        ["tenant_no", "document_no", "acl_class_no", "document_length"],
        _DOCUMENT_LENGTH,
        onupdate="CASCADE",
        ondelete="CASCADE",
    ),
    CheckConstraint(
        "span_start >= 0 AND span_end > span_start AND span_end <= document_length", name="span_inside_document"
    ),
    CheckConstraint("slice_sha256 ~ '^[0-9a-f]{64}$'", name="slice_sha256_is_a_hash"),
    comment="A parent window: a span of its document, kept once and shared by its chunks.",
)

chunk = Table(
    "chunk",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("chunk_no", BigInteger, Identity(always=True), nullable=False),
    Column("document_no", BigInteger, nullable=False),
    Column("document_length", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("chunk_id", Text(collation="C"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("span_start", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("slice_sha256", Text(collation="C"), nullable=False),
    Column("window_no", BigInteger),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "chunk_no"),
    UniqueConstraint("tenant_no", "version_no", "chunk_id"),
    UniqueConstraint("tenant_no", "version_no", "document_no", "ordinal"),
    UniqueConstraint("tenant_no", "version_no", "acl_class_no", "chunk_no", "document_no", name="uq_chunk__class"),
    Index(None, "tenant_no", "document_no"),
    Index(None, "tenant_no", "version_no", "document_no", "window_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    ForeignKeyConstraint(
        ["tenant_no", "document_no", "acl_class_no", "document_length"],
        _DOCUMENT_LENGTH,
        onupdate="CASCADE",
        ondelete="CASCADE",
    ),
    # Through the document's number, so that a window is always one of the chunk's own document.
    ForeignKeyConstraint(
        ["tenant_no", "version_no", "document_no", "window_no"],
        [
            parent_window.c.tenant_no,
            parent_window.c.version_no,
            parent_window.c.document_no,
            parent_window.c.window_no,
        ],
    ),
    CheckConstraint("chunk_id ~ '^[0-9a-f]{32}$'", name="chunk_id_is_hex"),
    CheckConstraint("ordinal >= 0", name="ordinal_counts_from_zero"),
    CheckConstraint(
        "span_start >= 0 AND span_end >= span_start AND span_end <= document_length", name="span_inside_document"
    ),
    CheckConstraint("char_length(text) = span_end - span_start", name="text_fills_its_span"),
    CheckConstraint("slice_sha256 = encode(sha256(convert_to(text, 'UTF8')), 'hex')", name="slice_sha256_is_of_text"),
    comment="A retrievable passage: a verbatim slice of its document. An empty one stands for a title without text.",
)

chunk_lexical = Table(
    "chunk_lexical",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("chunk_no", BigInteger, nullable=False),
    Column("document_no", BigInteger, nullable=False),
    Column("length", Integer, nullable=False),
    Column("impacts", SPARSEVEC(1_000_000_000), nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "chunk_no"),
    ForeignKeyConstraint(
        ["tenant_no", "version_no", "acl_class_no", "chunk_no", "document_no"],
        [chunk.c.tenant_no, chunk.c.version_no, chunk.c.acl_class_no, chunk.c.chunk_no, chunk.c.document_no],
        onupdate="CASCADE",
        ondelete="CASCADE",
    ),
    CheckConstraint("length >= 0", name="length_is_a_count"),
    # A scan reads every row's impacts: keep them in the row, uncompressed, as long as they fit a page (1,000 lexemes).
    postgresql_with={"toast_tuple_target": 8160},
    comment="A chunk as BM25 sees it: its length in lexemes, and the impact of each (lexeme_no: impact).",
)

chunk_embedding = Table(
    "chunk_embedding",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("space_no", Integer, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("document_no", BigInteger, nullable=False),
    Column("chunk_no", BigInteger, nullable=False),
    Column("embedding", VECTOR(), nullable=False),
    # By document before chunk: a filter that passes few documents finds their vectors by this key.
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "document_no", "chunk_no"),
    ForeignKeyConstraint(
        ["tenant_no", "version_no", "acl_class_no", "chunk_no", "document_no"],
        [chunk.c.tenant_no, chunk.c.version_no, chunk.c.acl_class_no, chunk.c.chunk_no, chunk.c.document_no],
        onupdate="CASCADE",
        ondelete="CASCADE",
    ),
    # Through space and dimensions, so that a vector is always one of its version's space.
    ForeignKeyConstraint(
        ["tenant_no", "version_no", "space_no", "dimensions"],
        [
            index_version.c.tenant_no,
            index_version.c.version_no,
            index_version.c.space_no,
            index_version.c.dimensions,
        ],
        ondelete="CASCADE",
    ),
    CheckConstraint(f"{PLACEHOLDER}.vector_dims(embedding) = dimensions", name="embedding_has_its_dimensions"),
    # Distances are summed in float32: the product of two vectors has to stay within it.
    CheckConstraint(f"{PLACEHOLDER}.vector_norm(embedding) BETWEEN 1e-15 AND 1e15", name="embedding_has_a_length"),
    # A scan reads every row's vector: keep it in the row as long as it fits a page (2,000 dimensions).
    postgresql_with={"toast_tuple_target": 8160},
    comment="A chunk as the vector leg sees it. RESTRICTED text has none: it is not embedded.",
)

pending_document = Table(
    "pending_document",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("document_no", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "document_no"),
    Index(None, "tenant_no", "document_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    ForeignKeyConstraint(
        ["tenant_no", "document_no"], [document.c.tenant_no, document.c.document_no], ondelete="CASCADE"
    ),
    comment="Documents that a live version other than the published one still lacks.",
)

lexeme = Table(
    "lexeme",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("lexeme_no", Integer, nullable=False),
    Column("lexeme", Text(collation="C"), nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "lexeme"),
    UniqueConstraint("tenant_no", "version_no", "lexeme_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    CheckConstraint("lexeme_no BETWEEN 1 AND 999999999", name="lexeme_no_fits_a_sparsevec"),
    comment="The words of a version, numbered. No reader sees it: a word can come from a text the caller may not read.",
)

lexeme_stat = Table(
    "lexeme_stat",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("lexeme_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("batch_no", BigInteger, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "lexeme_no", "acl_class_no", "batch_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    comment="Document frequency by class, or of the library under 0: the sum over batches. Folded by optimize.",
)

corpus_stat = Table(
    "corpus_stat",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("batch_no", BigInteger, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("total_length", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "batch_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    comment="Chunks and their length by class, and of the library under 0: the sum over batches. Folded by optimize.",
)

lexical_tail = Table(
    "lexical_tail",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("chunk_no", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "chunk_no"),
    ForeignKeyConstraint(
        ["tenant_no", "version_no", "acl_class_no", "chunk_no"],
        [
            chunk_lexical.c.tenant_no,
            chunk_lexical.c.version_no,
            chunk_lexical.c.acl_class_no,
            chunk_lexical.c.chunk_no,
        ],
        onupdate="CASCADE",
        ondelete="CASCADE",
    ),
    comment="Chunks that no posting of their class holds yet: scored by themselves until optimize seals them.",
)

posting_segment = Table(
    "posting_segment",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("segment_no", Integer, nullable=False),
    Column("run_no", Integer, nullable=False),
    Column("chunk_nos", ARRAY(BigInteger), nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "segment_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    CheckConstraint(f"cardinality(chunk_nos) BETWEEN 1 AND {SEGMENT}", name="chunks_fit_the_segment"),
    comment="Sealed chunks of one class, by their place. Runs, numbered by their first segment, were sealed together.",
)

posting_block = Table(
    "posting_block",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("lexeme_no", Integer, nullable=False),
    Column("segment_no", Integer, nullable=False),
    Column("impacts", SPARSEVEC(SEGMENT), nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "lexeme_no", "segment_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    postgresql_with={"toast_tuple_target": 8160},
    comment="A lexeme that is frequent in a segment: the impact in each of its chunks, by place.",
)

posting_list = Table(
    "posting_list",
    metadata,
    Column("tenant_no", Integer, nullable=False),
    Column("version_no", Integer, nullable=False),
    Column("acl_class_no", Integer, nullable=False),
    Column("run_no", Integer, nullable=False),
    Column("first_lexeme_no", Integer, nullable=False),
    Column("lexeme_nos", ARRAY(Integer), nullable=False),
    Column("tops", ARRAY(REAL), nullable=False),
    Column("frequencies", ARRAY(Integer), nullable=False),
    Column("starts", ARRAY(Integer), nullable=False),
    Column("places", ARRAY(Integer), nullable=False),
    Column("impacts", ARRAY(REAL), nullable=False),
    PrimaryKeyConstraint("tenant_no", "version_no", "acl_class_no", "run_no", "first_lexeme_no"),
    ForeignKeyConstraint(["tenant_no", "version_no"], _VERSION, ondelete="CASCADE"),
    comment="64 lexemes of a run: largest impact, postings in blocks, and the postings that are in none.",
)


def _keep_uncompressed(table: Table, *columns: str) -> None:
    """Have a large array read as it is stored: taking it apart took longer than reading twice the bytes."""
    for column in columns:
        statement = f"ALTER TABLE {table.fullname} ALTER COLUMN {column} SET STORAGE EXTERNAL"
        event.listen(table, "after_create", DDL(statement))  # type: ignore[no-untyped-call]


_keep_uncompressed(posting_segment, "chunk_nos")
_keep_uncompressed(posting_list, "places", "impacts")


def _assume_distinct(table: Table, column: str, share: str) -> None:
    """Tell the planner how many documents a table's rows are of, as a share of the rows.

    A sample of a table with one huge document finds that document alone; the planner then takes any index for the
    look-ups by document, and foreign-key checks become quadratic (docs/adr/0005).
    """
    statement = f"ALTER TABLE {table.fullname} ALTER COLUMN {column} SET (n_distinct = {share})"
    event.listen(table, "after_create", DDL(statement))  # type: ignore[no-untyped-call]


_assume_distinct(parent_window, "document_no", "-0.1")
_assume_distinct(chunk, "document_no", "-0.02")


def _depend_on(table: Table, column: str) -> None:
    """Have the planner learn that ``column`` determines the tenant.

    It multiplies the shares of a tenant and of its version as though they were independent: among 2,000 tenants of 60
    words each it expects 0.03 words of one instead of 60, so that all indexes look equal and a word is looked up by
    reading all words of the version (docs/adr/0005).
    """
    name = f"{table.schema}.st_{table.name}__tenant_no_{column}"
    statement = f"CREATE STATISTICS {name} (dependencies) ON tenant_no, {column} FROM {table.fullname}"
    event.listen(table, "after_create", DDL(statement))  # type: ignore[no-untyped-call]


_depend_on(document, "library_no")
for _table in (parent_window, chunk, chunk_lexical, chunk_embedding, lexeme, lexeme_stat, corpus_stat):
    _depend_on(_table, "version_no")
