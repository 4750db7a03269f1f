"""Stage trace: what was looked for and how, from what the caller may read alone."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragspine_pg.contract.search_request import SearchRequest
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.retrieval.legs import Found
from ragspine_pg.retrieval.mode import ran
from ragspine_pg.retrieval.rank import Ranked, method_of
from ragspine_pg.statement import search as statements
from ragspine_pg.statement.search import LibraryRow

_USUAL: Final = {"lexical": "exact", "vector": "scan"}


def trace_search(request: SearchRequest, found: Found, page: Sequence[Ranked]) -> Flow[dict[str, Any]]:
    """What a search came to, library by library; in its transaction.

    ``strategy`` says of the lexical leg that it is exact, and not how: whether postings were read is told by what stood
    in them once. ``clauses`` are what was read from the query, each with its lexemes; ``unmet`` why it can find nothing
    there, if it is so; ``contributions`` maps the chunk ids of ``page`` to what each term adds to their lexical scores.
    """
    libraries = {}
    rankings = 0
    of_legs = {"lexical": found.lexical, "vector": found.vector}
    for row in found.libraries:
        runs = [leg for leg in of_legs if getattr(found.legs[row.library_id], leg)]
        rankings += len(runs)
        hits = {leg: [hit for hit in of_legs[leg] if hit.library_id == row.library_id] for leg in runs}
        shown = [item.chunk_id for item in page if item.library_id == row.library_id]
        asked = yield from _query(request.query, row)
        libraries[row.library_id] = {
            "index_version": row.version,
            "analyzer": row.analyzer,
            "fields": dict(row.fields),
            "space": row.space,
            "strategy": {leg: (hits[leg][0].strategy if hits[leg] else _USUAL[leg]) for leg in runs},
            "matches": {leg: len(hits[leg]) for leg in runs},
            **asked,
            "contributions": (yield from contributions(request.query, row.version_no, shown)),
        }
    return {
        "mode": ran(request.mode, found.legs.values()).value,
        "fusion": method_of(request.fusion, found.libraries).value if rankings > 1 else None,
        "libraries": libraries,
    }


def contributions(query: str, version_no: int, chunk_ids: Sequence[str]) -> Flow[dict[str, list[Mapping[str, Any]]]]:
    """What each term adds to the lexical score of each of ``chunk_ids``; added up in order, in float64, they are it.

    A chunk that the caller cannot read, or that holds no term, is left out.
    """
    shares: dict[str, list[Mapping[str, Any]]] = {}
    if chunk_ids:
        asked = {"version_no": version_no, "query": query, "chunk_ids": list(chunk_ids)}
        for share in (yield from fetch(statements.explain_scores, **asked)):
            shares.setdefault(share.chunk_id, []).append(share.told())
    return shares


def _query(query: str, row: LibraryRow) -> Flow[dict[str, Any]]:
    terms = yield from fetch(statements.query_terms, version_no=row.version_no, query=query)
    clauses = yield from fetch(statements.explain_clauses, query=query, analyzer=row.analyzer)
    (unmet,) = yield from fetch(statements.reason, version_nos=[row.version_no], query=query)
    return {
        "terms": [{"lexeme": t.lexeme, "frequency": t.frequency, "chunks": t.chunk_count, "idf": t.idf} for t in terms],
        "clauses": [
            {"occurs": c.occurs, "kind": c.kind, "text": c.content, "lexemes": list(c.lexemes)} for c in clauses
        ],
        "unmet": unmet,
    }
