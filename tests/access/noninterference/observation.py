"""All that a reader can get to know in a world, as text: answers, traces, errors, notices."""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import psycopg

from ragspine_pg import Access, EmbeddingTask, MultiIndexRetriever
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.embedding import embed_checked
from ragspine_pg.errors import RagSpineError
from tests.access import world
from tests.access.noninterference.histories import EVE, HIDDEN_IDS, HIDDEN_LIBRARY, LIBRARY, TENANT, Questions
from tests.access.noninterference.stage import Stage

ALL_MODES: dict[str, dict[str, Any]] = {
    "economy": {"mode": "economy"},
    "vector": {"mode": "vector"},
    "hybrid": {"mode": "hybrid"},
    "hybrid, convex": {"mode": "hybrid", "fusion": "convex"},
    "auto": {},
}
PLAIN_MODES: dict[str, dict[str, Any]] = {name: ALL_MODES[name] for name in ("economy", "vector", "auto")}
"""A library without vectors: to search it by them is an error, which is asked for, too."""

ASKED = [*HIDDEN_IDS, "v0", "v1", "absent"]
"""Documents asked for by name."""

SQL = {
    "search_json": "SELECT ragspine.search_json(%(q)s, %(k)s, expand => 'parent', query_embedding => %(v)s,"
    " query_space => %(s)s)",
    "search_lexical": "SELECT * FROM ragspine.search_lexical(%(q)s, 50, filter => %(f)s)",
    "libraries": "SELECT * FROM ragspine.libraries()",
    "descriptions": "SELECT * FROM ragspine.readable_descriptions_v1(NULL, %(q)s)",
    "documents": "SELECT l, d, ragspine.find_document_v1(l, d),"
    " ragspine.verify_locator(l, d, 'char=0,0;sha256=' || encode(sha256(''), 'hex'))"
    " FROM unnest(%(l)s::text[]) AS l, unnest(%(d)s::text[]) AS d",
    "terms": "SELECT t.* FROM unnest(%(versions)s::integer[]) AS v, ragspine.query_terms_v1(v, %(q)s) AS t"
    " ORDER BY 1, 3",
    "legs": "SELECT g.chunk_id, g.rank, g.score FROM unnest(%(versions)s::integer[]) AS v,"
    " ragspine.lexical_leg_v1(v, %(q)s, %(k)s, %(f)s) AS g ORDER BY 1, 2",
    "reasons": "SELECT ragspine.search_reason_v1(%(versions)s, %(q)s)",
    "scores": "SELECT s.* FROM unnest(%(versions)s::integer[]) AS v,"
    " ragspine.explain_scores_v1(v, %(q)s, %(chunk_ids)s) AS s",
    "passages": "SELECT p.tenant, p.library_id, p.document_id, p.chunk_id, p.text, p.metadata, p.window_text,"
    " p.sensitivity, p.reader_principals"
    " FROM ragspine.read_passages_v1(%(version_nos)s, %(chunk_nos)s, 'parent') AS p ORDER BY 3, 4",
}
"""What is asked over a reader's connection. The numbers and ids are of every version and chunk that is published."""

_NUMBERS = """
    SELECT coalesce(array_agg(DISTINCT v.version_no), '{}'), coalesce(array_agg(c.version_no), '{}'),
           coalesce(array_agg(c.chunk_no), '{}'), coalesce(array_agg(c.chunk_id), '{}')
      FROM ragspine.index_version AS v
      LEFT JOIN ragspine.chunk AS c USING (tenant_no, version_no)
     WHERE v.state = 'published'
"""


def observe(stage: Stage, asked: Questions, *, embedded: bool) -> dict[str, str]:
    """Everything, by the name of the question."""
    stage.notices.clear()
    found = dict(_from_clients(stage, asked, ALL_MODES if embedded else PLAIN_MODES))
    found.update(_from_sql(stage, asked, embedded=embedded))
    found["notices"] = repr(stage.notices)
    return found


def _from_clients(stage: Stage, asked: Questions, modes: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    query, k = asked.query, asked.k
    reader = stage.reader
    results = {}

    def search(name: str, **options: Any) -> tuple[str, str]:
        def ask() -> str:
            given = {"access": EVE, "k": k, "explain": True, **options}
            result = results[name] = reader.search(query, **given)
            return result.to_json() + json.dumps(result.trace, default=dict, sort_keys=True)

        return name, _said(ask)

    for name, mode in modes.items():
        yield search(name, **mode)
    yield search("filtered", metadata_filter=asked.filter, expand="parent")
    yield search("by name", libraries=[LIBRARY, HIDDEN_LIBRARY, "nowhere"], k=1)
    if (cursor := results["by name"].cursor) is not None:
        yield search("next page", libraries=[LIBRARY, HIDDEN_LIBRARY, "nowhere"], k=1, after=cursor)
    yield search("without a principal", access=Access(TENANT))
    yield search("in a library that may not be there", libraries=HIDDEN_LIBRARY, mode="vector")
    yield "routed", _said(lambda: MultiIndexRetriever(reader, "keyword").search(query, access=EVE, k=k).to_json())
    for document in ("v0", HIDDEN_IDS[0]):
        explain = partial(reader.explain, query, access=EVE, library_id=LIBRARY, document_id=document, k=k)
        yield f"explain {document}", _said(explain)


def _from_sql(stage: Stage, asked: Questions, *, embedded: bool) -> Iterator[tuple[str, str]]:
    (numbers,) = stage.administer(_NUMBERS).fetchall()
    parameters = {
        "q": asked.query,
        "k": asked.k,
        "f": asked.filter.to_json(),
        "v": _vector(asked.query) if embedded else None,
        "s": world.MODEL.space.fingerprint if embedded else None,
        "l": [LIBRARY, HIDDEN_LIBRARY, "nowhere"],
        "d": ASKED,
        **dict(zip(("versions", "version_nos", "chunk_nos", "chunk_ids"), numbers, strict=True)),
    }
    with stage.undone():
        stage.rows("SELECT ragspine.assume(%(grant)s)", {"grant": stage.reader.grant(EVE)})
        for name, statement in SQL.items():
            yield f"SQL {name}", _said(partial(stage.rows, statement, parameters))


def _said(ask: Callable[[], object]) -> str:
    try:
        return str(ask())
    except RagSpineError as error:
        return f"{type(error).__name__} {error.code} {error} {sorted(error.ids.items())}"
    except psycopg.Error as error:
        return f"{type(error).__name__} {error.sqlstate} {error}"


@lru_cache(maxsize=1)
def _vector(query: str) -> str:
    return vector_text(embed_checked(world.MODEL, [query], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
