"""The statements of the query path, and the types their rows become."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.identity import Identity
from ragspine_pg.contract.passage import Passage
from ragspine_pg.flow.steps import Flow, Statement, hold
from ragspine_pg.statement.catalogue import query


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A library to search, and the version it is searched in.

    ``space`` is the fingerprint of the version's embedding space, ``embedding`` the model that fills it, ``fusion`` the
    version's own defaults.
    """

    library_id: str
    version: int
    version_no: int
    analyzer: str
    fields: Mapping[str, str]
    space: str | None
    embedding: Mapping[str, Any] | None
    fusion: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class LegRow:
    """One chunk of one leg's ranking of a library; ``strategy`` says how it was found."""

    library_id: str
    rank: int
    chunk_no: int
    chunk_id: str
    score: float
    strategy: str


@dataclass(frozen=True, slots=True)
class TermRow:
    """A query lexeme and its statistics over what the caller may read of one version."""

    lexeme: str
    frequency: int
    chunk_count: int
    idf: float


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """What was read from a query: a clause, and its lexemes."""

    occurs: str
    kind: str
    content: str
    lexemes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """What a query lexeme adds to the lexical score of a chunk."""

    chunk_id: str
    lexeme: str
    frequency: int
    idf: float
    impact: float
    contribution: float

    def told(self) -> dict[str, Any]:
        """Without the chunk."""
        return {
            "lexeme": self.lexeme,
            "frequency": self.frequency,
            "idf": self.idf,
            "impact": self.impact,
            "contribution": self.contribution,
        }


def _warnings(*columns: Any) -> tuple[str, ...]:
    return tuple(columns[-1])


def _only(metadata: dict[str, Any]) -> dict[str, Any]:
    return metadata


def _reason(reason: str | None) -> str | None:
    return reason


def _rights(sensitivity: str, open_to_members: bool, named: bool) -> tuple[str, bool, bool]:
    return sensitivity, open_to_members, named


def _passage(*columns: Any) -> Passage:
    passage = Passage(*columns)
    return replace(passage, reader_principals=frozenset(passage.reader_principals))


bound = query("search_bound")
begin = query("search_begin", _warnings)
libraries = query("search_libraries", LibraryRow)
lexical_legs = query("search_lexical_legs", LegRow)
vector_legs = query("search_vector_legs", LegRow)
savepoint = query("search_savepoint")
limit = query("search_limit")
tighten = query("search_tighten")
roll_back = query("search_roll_back")
read_passages = query("search_read_passages", _passage)
reason = query("search_reason", _reason)
query_terms = query("search_query_terms", TermRow)
explain_clauses = query("search_explain_clauses", ClauseRow)
explain_scores = query("search_explain_scores", ShareRow)
find_document = query("explain_find_document", _only)
document_rights = query("explain_rights", _rights)


def opening(identity: Identity, context: RetrievalContext) -> Flow[list[tuple[Statement[Any], Mapping[str, Any]]]]:
    """The statements that come first in every search, with their parameters; the row of the last is the warnings.

    A connection is taken before them: while one was waited for, the grant would grow old and time would run.

    Raises ``DeadlineExceeded``, and what taking a connection raises.
    """
    yield from hold()
    begins = {"grant": identity.sign(), "single_login": "on" if identity.single_login else "off"}
    timeout = statement_timeout(context)
    # The limit by itself, and first: a statement's own time is limited by what was set before it.
    bounds = [] if timeout is None else [(bound, {"timeout": timeout})]
    return [*bounds, (begin, begins)]


def tightening(context: RetrievalContext) -> list[tuple[Statement[Any], Mapping[str, Any]]]:
    """What goes before a later statement of a search, so that all of them together keep the deadline."""
    return [] if context.deadline is None else [(tighten, {})]


def statement_timeout(context: RetrievalContext) -> int | None:
    """Milliseconds to the deadline, as the setting takes them: above 0, which would be no limit."""
    if context.deadline is None:
        return None
    return int(max(1, context.deadline.remaining() * 1000))
