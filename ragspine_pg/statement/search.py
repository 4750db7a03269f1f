"""The statements of the query path, and the types their rows become."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragspine_pg.contract.passage import Passage
from ragspine_pg.statement.catalogue import query


@dataclass(frozen=True, slots=True)
class LegRow:
    """One chunk of a library's ranking; ``rank`` and what follows are None for a library without a match."""

    library_id: str
    version: int
    version_no: int
    analyzer: str
    fields: Mapping[str, str]
    term_count: int
    rank: int | None
    chunk_no: int | None
    chunk_id: str | None
    score: float | None


@dataclass(frozen=True, slots=True)
class TermRow:
    """A query lexeme and its statistics over what the caller may read of one version."""

    lexeme: str
    frequency: int
    chunk_count: int
    idf: float


def _warnings(_assumed: Any, _timeout: Any, _single: Any, warnings: list[str]) -> tuple[str, ...]:
    return tuple(warnings)


def _only(metadata: dict[str, Any]) -> dict[str, Any]:
    return metadata


def _rights(sensitivity: str, open_to_members: bool, named: bool) -> tuple[str, bool, bool]:
    return sensitivity, open_to_members, named


def _passage(*columns: Any) -> Passage:
    passage = Passage(*columns)
    return replace(passage, reader_principals=frozenset(passage.reader_principals))


begin = query("search_begin", _warnings)
lexical_legs = query("search_lexical_legs", LegRow)
read_passages = query("search_read_passages", _passage)
query_terms = query("search_query_terms", TermRow)
find_document = query("explain_find_document", _only)
document_rights = query("explain_rights", _rights)
