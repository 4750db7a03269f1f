"""Why a document is a hit, or why not: to a caller from what it may read alone, to the ingest authority in full."""

from dataclasses import replace
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.explanation import Explanation
from ragspine_pg.contract.identity import Identity
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.name import require_text
from ragspine_pg.contract.result import Hit, SearchResult
from ragspine_pg.contract.search_request import MAX_K, SearchRequest
from ragspine_pg.errors import ConfigurationError, QueryError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.retrieval.embed import QueryModels
from ragspine_pg.retrieval.pipeline import search
from ragspine_pg.retrieval.trace import contributions
from ragspine_pg.statement import search as statements


def explain(
    request: SearchRequest, identity: Identity, models: QueryModels, library_id: str, document_id: str
) -> Flow[Explanation]:
    """Explain one document's fate in ``request`` over one library, as ``identity``; in one read-only transaction.

    Raises ``QueryError`` as ``search`` does, and for ids that are no strings or hold a NUL or lone surrogate.
    """
    require_text("library_id", library_id, QueryError)
    require_text("document_id", document_id, QueryError)
    asked = replace(request, libraries=(library_id,), expand=None, after=None, explain=True)
    result = yield from search(asked, identity, models, whole=True)
    library = (result.trace or {}).get("libraries", {}).get(library_id, {})
    made = Explanation(document_id, library_id, "not_readable", "", terms=tuple(library.get("terms", ())))
    best = next((hit for hit in result.hits if hit.document_id == document_id), None)
    if best is not None:
        (version_no,) = [row.version_no for row in (yield from fetch(statements.libraries, **_of(library_id)))]
        shares = yield from contributions(request.query, version_no, [best.chunk_id])
        return replace(_ranked(made, best, result, request.k), contributions=tuple(shares.get(best.chunk_id, ())))
    found = yield from fetch(statements.find_document, library_id=library_id, document_id=document_id)
    if not found:
        return replace(made, detail="there is no such document that this caller may read")
    if request.metadata_filter is not None and not request.metadata_filter.apply(found, fields=library.get("fields")):
        return replace(made, verdict="filtered", detail="the metadata filter excludes it")
    demanding = any(clause["occurs"] != "may" or clause["kind"] == "phrase" for clause in library.get("clauses", ()))
    if demanding and result.mode != RetrievalMode.HYBRID and len(result.hits) < MAX_K and request.min_score is None:
        detail = "none of its passages holds what the query demands beside a searchable word of it"
        return replace(made, verdict="demands_unmet", detail=detail)
    if result.mode != RetrievalMode.ECONOMY:
        detail = "no leg that ran found one of its passages as deep as this search goes"
        return replace(made, verdict="beyond_depth", detail=detail)
    if len(result.hits) == MAX_K or request.min_score is not None:
        detail = f"it is not among the first {MAX_K} passages" + (
            "" if request.min_score is None else " above min_score"
        )
        return replace(made, verdict="beyond_depth", detail=detail)
    return replace(made, verdict="no_query_term", detail="none of its passages holds a searchable word of the query")


def _of(library_id: str) -> dict[str, Any]:
    return {"libraries": [library_id], "versions": None}


def explain_rights(explanation: Explanation, access: Access) -> Flow[Explanation]:
    """For the ingest authority: what ``not_readable`` means for this document. Not for the caller's eyes.

    Raises ``ConfigurationError`` for other types, ``QueryError`` for ids as ``explain`` does.
    """
    if not isinstance(explanation, Explanation) or not isinstance(access, Access):
        raise ConfigurationError("explain_rights takes what explain gave back and the Access it was asked for")
    require_text("library_id", explanation.library_id, QueryError)
    require_text("document_id", explanation.document_id, QueryError)
    if explanation.verdict != "not_readable":
        return explanation
    rows = yield from fetch(
        statements.document_rights,
        tenant=access.tenant,
        library_id=explanation.library_id,
        document_id=explanation.document_id,
        principals=sorted(access.principals),
    )
    if not rows:
        return replace(explanation, verdict="unknown_document", detail="there is no such document in this library")
    sensitivity, open_to_members, named = rows[0]
    if sensitivity == "RESTRICTED":
        return replace(explanation, verdict="restricted", detail="it is RESTRICTED: readable by nobody")
    if open_to_members or named:
        return replace(explanation, detail="it was made readable after the search looked; ask again")
    return replace(explanation, detail="none of the principals is among its readers")


def _ranked(made: Explanation, best: Hit, result: SearchResult, k: int) -> Explanation:
    placed = replace(made, rank=best.rank, score=best.score, chunk_id=best.chunk_id)
    if best.rank <= k:
        return replace(placed, verdict="hit", detail=f"its best passage ranks {best.rank}")
    gap = result.hits[k - 1].score - best.score
    detail = f"its best passage ranks {best.rank}, {gap:.6g} below rank {k}"
    return replace(placed, verdict="below_k", gap=gap, detail=detail)
