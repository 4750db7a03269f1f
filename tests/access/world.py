"""A small world with something for everybody, and something for nobody; and every door through which it can be seen."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import psycopg

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from ragspine_pg.contract.locator import slice_sha256
from tests.fixtures.database import Database

QUESTION = "return an order within thirty days"

STAFF = Access("acme", {"user:ann", "group:staff"})
FINANCE = Access("acme", {"user:bob", "group:finance"})
OUTSIDER = Access("acme", {"user:eve"})
NOBODY = Access("acme")
STRANGER = Access("globex", {"user:ann", "group:staff"})

CANARY = "zanzibarite"
"""A word that stands in every document a caller of these tests may not read, and in no other."""

HANDBOOK = [
    Document("open", "Orders: return an order within thirty days of delivery.", title="Returns", metadata={"n": 1}),
    Document(
        "staff",
        f"Staff may return an order within sixty days. {CANARY}",
        readers={"group:staff"},
        metadata={"n": 2},
    ),
    Document(
        "finance",
        f"Finance books a return of an order within thirty days. {CANARY}",
        readers={"group:finance"},
        sensitivity="CONFIDENTIAL",
        metadata={"n": 3},
    ),
    Document(
        "restricted",
        f"return an order within thirty days return order thirty days {CANARY}",
        sensitivity="RESTRICTED",
        metadata={"n": 4, "secret": True},
    ),
    Document("closed", f"Nobody may return an order within thirty days. {CANARY}", readers=set(), metadata={"n": 5}),
]


def build(spine: RagSpine, *, tenant: str = "acme", library: str = "handbook") -> None:
    """The world above, and another tenant's library of the same name."""
    spine.create_library(tenant, library, chunker="parent_child", fields={"n": "number"}).ingest(HANDBOOK)
    other = Document("theirs", f"Globex: return an order within thirty days. {CANARY}", metadata={"tenant_id": tenant})
    spine.create_library("globex", library, chunker="parent_child").ingest([other])


Door = Callable[[Access], str]


def doors(spine: RagSpine, database: Database, *, question: str = QUESTION) -> dict[str, Door]:
    """Every way to ask, each giving all it has to say as text."""

    def sql(statement: str) -> Door:
        def ask(access: Access) -> str:
            with psycopg.connect(database.reader_url) as connection:
                notices: list[str | None] = []
                connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
                connection.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
                rows = connection.execute(statement, {"q": question}).fetchall()
                return repr((rows, notices))

        return ask

    everything = MetadataFilter.where("n", "gte", 0)
    restricted = MetadataFilter.where("secret", "eq", True)
    return {
        "search": lambda a: spine.search(question, access=a).to_json(),
        "search, explained": lambda a: repr(spine.search(question, access=a, explain=True).trace),
        "search, expanded": lambda a: spine.search(question, access=a, expand="parent").to_json(),
        "search, filtered": lambda a: spine.search(question, access=a, metadata_filter=everything).to_json(),
        "search for the restricted": lambda a: spine.search(question, access=a, metadata_filter=restricted).to_json(),
        "search by name": lambda a: spine.search(question, access=a, libraries=["handbook", "nowhere"]).to_json(),
        "search in a library": lambda a: spine.library("acme", "handbook").search(question, access=a).to_json(),
        "retriever": lambda a: spine.retriever(access=a).retrieve(question, top_k=3).to_json(),
        **{
            f"explain {name}": lambda a, name=name: repr(  # type: ignore[misc]
                spine.explain(question, access=a, library_id="handbook", document_id=name)
            )
            for name in ("open", "staff", "finance", "restricted", "closed", "theirs", "absent")
        },
        "SQL search": sql("SELECT * FROM ragspine.search(%(q)s)"),
        "SQL search_json": sql("SELECT ragspine.search_json(%(q)s, expand => 'parent')"),
        "SQL search_lexical": sql("SELECT * FROM ragspine.search_lexical(%(q)s)"),
        "SQL libraries": sql("SELECT * FROM ragspine.libraries()"),
        "SQL passages": sql(
            "SELECT p.* FROM generate_series(1, 20) AS v, generate_series(1, 60) AS c,"
            " ragspine.read_passages_v1(ARRAY[v], ARRAY[c::bigint], 'parent') AS p ORDER BY v, c"
        ),
        "SQL documents": sql(
            "SELECT d, ragspine.find_document_v1('handbook', d),"
            f" ragspine.verify_locator('handbook', d, 'char=0,0;sha256={slice_sha256('')}')"
            " FROM unnest(ARRAY['open', 'staff', 'finance', 'restricted', 'closed', 'theirs', 'absent']) AS d"
        ),
        "SQL legs": sql(
            "SELECT v, l.chunk_id, l.rank, l.score FROM generate_series(1, 20) AS v,"
            """ ragspine.lexical_leg_v1(v, %(q)s, 10, '{"field": "n", "op": "gte", "value": 0}') AS l"""
            " ORDER BY v, l.rank"
        ),
        "SQL terms": sql(
            "SELECT t.* FROM ragspine.readable_libraries_v1(NULL) AS l,"
            " ragspine.query_terms_v1(l.version_no, %(q)s) AS t"
        ),
    }


def documents_in(answer: str) -> list[str]:
    """Ids of the documents in canonical JSON, in order."""
    return [hit["document_id"] for hit in json.loads(answer)["hits"]]


def hidden_documents(number: int, *, readers: Iterable[str] = ("group:board",), **options: Any) -> list[Document]:
    """Documents full of the question's words, none of them for the callers above."""
    return [
        Document(
            f"hidden-{n}",
            f"{QUESTION} {CANARY} " * (1 + n % 7),
            title=QUESTION,
            readers=readers,
            metadata={"n": n, "secret": True},
            **options,
        )
        for n in range(number)
    ]
