"""A small world with something for everybody, and something for nobody; and every door through which it can be seen."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from ragspine_pg import Access, Document, EmbeddingTask, MetadataFilter, RagSpine, VectorStore
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.ingest import Statistics
from ragspine_pg.contract.locator import slice_sha256
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.hashing import HashingModel
from tests.fixtures.database import Database, clone
from tests.fixtures.spine import open_spine

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


MODEL = HashingModel(64)
"""What embeds the worlds that have vectors."""


@dataclass(frozen=True)
class Mode:
    """How a world is searched, and whether its libraries have vectors at all."""

    mode: str | None
    embedded: bool = True
    fusion: str | None = None

    @property
    def ran(self) -> str:
        """The mode that a search comes to."""
        return (self.mode or "hybrid") if self.embedded else "economy"


PLAIN = Mode(None, embedded=False)
MODES = {
    "without vectors": PLAIN,
    "economy": Mode("economy"),
    "vector": Mode("vector"),
    "hybrid": Mode("hybrid"),
    "hybrid, convex": Mode("hybrid", fusion="convex"),
    "auto": Mode(None),
}
VECTORED = {name: mode for name, mode in MODES.items() if mode.ran != "economy"}


def build(
    spine: RagSpine,
    *,
    tenant: str = "acme",
    library: str = "handbook",
    embedded: bool = False,
    statistics: Statistics = "class",
) -> None:
    """The world above, and another tenant's library of the same name."""
    embedding = MODEL if embedded else None
    spine.create_library(
        tenant,
        library,
        chunker="parent_child",
        fields={"n": "number"},
        embedding=embedding,
        statistics=statistics,
    ).ingest(HANDBOOK)
    other = Document("theirs", f"Globex: return an order within thirty days. {CANARY}", metadata={"tenant_id": tenant})
    spine.create_library("globex", library, chunker="parent_child", embedding=embedding).ingest([other])


Door = Callable[[Access], str]


def doors(spine: RagSpine, database: Database, *, question: str = QUESTION, mode: Mode = PLAIN) -> dict[str, Door]:
    """Every way to ask, each giving all it has to say as text; those by vectors alone where there are some."""
    vector = embed_checked(MODEL, [question], EmbeddingTask.RETRIEVAL_QUERY).vectors[0]
    space = MODEL.space.fingerprint
    legs: dict[str, Any] = {"mode": mode.mode, "fusion": mode.fusion}
    given = mode.embedded and mode.mode != "economy"
    parameters = {
        "q": question,
        "m": mode.mode or "auto",
        "f": None if mode.fusion is None else json.dumps({"method": mode.fusion}),
        "v": vector_text(vector) if given else None,
        "s": space if given else None,
    }

    def sql(statement: str) -> Door:
        def ask(access: Access) -> str:
            with psycopg.connect(database.reader_url) as connection:
                notices: list[str | None] = []
                connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
                connection.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
                rows = connection.execute(statement, parameters).fetchall()
                return repr((rows, notices))

        return ask

    everything = MetadataFilter.where("n", "gte", 0)
    restricted = MetadataFilter.where("secret", "eq", True)
    how = "mode => %(m)s, fusion => %(f)s, query_embedding => %(v)s, query_space => %(s)s"
    found = {
        "search": lambda a: spine.search(question, access=a, **legs).to_json(),
        "search, one hit": lambda a: spine.search(question, access=a, k=1, **legs).to_json(),
        "search, explained": lambda a: repr(spine.search(question, access=a, explain=True, **legs).trace),
        "search, expanded": lambda a: spine.search(question, access=a, expand="parent", **legs).to_json(),
        "search, filtered": lambda a: spine.search(question, access=a, metadata_filter=everything, **legs).to_json(),
        "search for the restricted": lambda a: spine.search(
            question, access=a, metadata_filter=restricted, **legs
        ).to_json(),
        "search by name": lambda a: spine.search(
            question, access=a, libraries=["handbook", "nowhere"], **legs
        ).to_json(),
        "search in a library": lambda a: spine.library("acme", "handbook").search(question, access=a, **legs).to_json(),
        "retriever": lambda a: spine.retriever(access=a).retrieve(question, top_k=3).to_json(),
        **{
            f"explain {name}": lambda a, name=name: repr(  # type: ignore[misc]
                spine.explain(question, access=a, library_id="handbook", document_id=name, **legs)
            )
            for name in ("open", "staff", "finance", "restricted", "closed", "theirs", "absent")
        },
        "SQL search": sql(f"SELECT * FROM ragspine.search(%(q)s, {how})"),
        "SQL search_json": sql(f"SELECT ragspine.search_json(%(q)s, expand => 'parent', {how})"),
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
    if not given:
        return found
    return {
        **found,
        "store": lambda a: VectorStore(spine).search(vector, query_space=space, access=a).to_json(),
        "SQL search_vector": sql("SELECT * FROM ragspine.search_vector(%(v)s, %(s)s)"),
        "SQL vector legs": sql(
            "SELECT v, l.chunk_id, l.rank, l.score, l.strategy FROM generate_series(1, 20) AS v,"
            """ ragspine.vector_leg_v1(v, %(s)s, %(v)s, 10, '{"field": "n", "op": "gte", "value": 0}') AS l"""
            " ORDER BY v, l.rank"
        ),
        "SQL vector legs, unfiltered": sql(
            "SELECT v, l.chunk_id, l.rank, l.score, l.strategy FROM generate_series(1, 20) AS v,"
            " ragspine.vector_leg_v1(v, %(s)s, %(v)s, 3) AS l ORDER BY v, l.rank"
        ),
    }


@dataclass(frozen=True)
class World:
    """A world that was built, and how it is searched."""

    spine: RagSpine
    database: Database
    mode: Mode

    @property
    def doors(self) -> dict[str, Door]:
        """See ``doors``."""
        return doors(self.spine, self.database, mode=self.mode)


@contextmanager
def opened(server: EmbeddedServer, template: str, mode: Mode) -> Iterator[World]:
    """The world for ``mode``, in a database of its own."""
    with clone(server, template) as database, open_spine(database) as spine:
        build(spine, embedded=mode.embedded)
        yield World(spine, database, mode)


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
