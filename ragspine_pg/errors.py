"""The error tree: what a caller can act on, each with a stable ``code``.

Only errors with something to do about them are wrapped. A message names ids and never quotes a document's text; the
driver's DETAIL and CONTEXT, which can hold row values, are cut off (``raise ... from None``).
"""

from typing import Any, ClassVar


class RagSpineError(Exception):
    """Base of every error of this package.

    ``code`` is stable across releases; ``ids`` holds what the error is about (tenant, library, document, field ...).
    ``retryable``: the same call, made again, may succeed, and nothing of this one was kept.
    """

    code: ClassVar[str] = "ragspine"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **ids: str | int | None) -> None:
        super().__init__(message)
        self.ids: dict[str, str | int] = {name: value for name, value in ids.items() if value is not None}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), str(self), self.ids)


def _rebuild(kind: type[RagSpineError], message: str, ids: dict[str, str | int]) -> RagSpineError:
    return kind(message, **ids)


class ConfigurationError(RagSpineError):
    """A setting, target or argument is missing, contradictory or of the wrong kind."""

    code = "configuration"


class UnsafeRole(ConfigurationError):
    """The login could read past row-level security: it is a superuser, the owner, or holds the ingest authority."""

    code = "unsafe_role"


class SchemaError(RagSpineError):
    """The schema in the database and this code do not fit; the message names the command that mends it."""

    code = "schema"


class SchemaMismatch(SchemaError):
    """The schema says this code's revision, and another build of the package made it; migrating cannot mend that."""

    code = "schema_mismatch"


class EnvironmentChanged(SchemaError):
    """An index version was built under another server major version or locale than the one that answers."""

    code = "environment_changed"


class IngestError(RagSpineError):
    """Something handed to the ingest path cannot be stored as it is."""

    code = "ingest"


class InvalidDocument(IngestError):
    """A document is malformed: NUL, lone surrogate, blank id, invalid UTF-8, a value JSON cannot hold."""

    code = "invalid_document"


class SourceRefused(IngestError):
    """A source may not be read: outside the allowed roots, too large, or of an unknown kind."""

    code = "source_refused"


class LibraryExists(IngestError):
    """``create_library`` met a library of that id (``exist_ok=True`` accepts it when it is made alike)."""

    code = "library_exists"


class VersionNotReady(IngestError):
    """An index version cannot be published, or written to, in the state it is in; the message says what to do."""

    code = "version_not_ready"


class VersionChanged(IngestError):
    """Another index version was published while the call was under way, which was meant for the one before."""

    code = "version_changed"
    retryable = True


class NotFound(RagSpineError):
    """A tenant, library, document or version that the ingest authority named does not exist."""

    code = "not_found"


class VerificationFailed(IngestError):
    """What was written does not pass its own check; the transaction was rolled back."""

    code = "verification_failed"


class QueryError(RagSpineError):
    """A search, explain or filter cannot be carried out as asked."""

    code = "query"


class InvalidFilter(QueryError):
    """A metadata filter is malformed; the message names field and operator, never the value."""

    code = "invalid_filter"


class ModeUnavailable(QueryError):
    """The mode cannot run in these libraries (no embedding space); it is never silently downgraded."""

    code = "mode_unavailable"


class DeadlineExceeded(QueryError):
    """The deadline passed before an answer was ready."""

    code = "deadline_exceeded"


class Cancelled(QueryError):
    """The caller cancelled; the server was told to stop."""

    code = "cancelled"


class BudgetExceeded(QueryError):
    """What the call's budget allows to be spent on models is spent; ``ids`` say which limit, and how much."""

    code = "budget_exceeded"


class GrantInvalid(QueryError):
    """A signed grant is malformed, forged, expired, or signed by another key."""

    code = "grant_invalid"


class SeamFailed(QueryError):
    """Something that an application put in (a router, a filter extractor) failed, or gave what is not of its kind."""

    code = "seam_failed"


class RerankError(RagSpineError):
    """A reranker cannot be reached, or its answer is no judgement of what it was sent; a search falls back from it."""

    code = "rerank"


class RerankRejected(RerankError):
    """What a reranker gave back is not one finite judgement of each text that it was sent."""

    code = "rerank_rejected"


class RerankFailed(RerankError):
    """A reranker's own code raised; the logger ``ragspine_pg`` says what and where."""

    code = "rerank_failed"


class RerankUnavailable(RerankError):
    """A reranker could not be reached, or gave no answer in time."""

    code = "rerank_unavailable"


class EmbeddingError(RagSpineError):
    """Texts could not be embedded. The message names an item by its position and label, never by its text."""

    code = "embedding"


class InvalidEmbeddingInput(EmbeddingError):
    """A text cannot be embedded as it is: it is blank, or longer than the model reads."""

    code = "invalid_embedding_input"


class EmbeddingRejected(EmbeddingError):
    """What a model gave back is not one finite, non-zero vector of its space for each text; nothing was written."""

    code = "embedding_rejected"


class EmbeddingUnavailable(EmbeddingError):
    """A model did not answer in time or with a server's error, also when asked again; later can help."""

    code = "embedding_unavailable"
    retryable = True


class UnavailableError(RagSpineError):
    """The database cannot be reached, or lost the connection; trying again later can help."""

    code = "unavailable"
    retryable = True
