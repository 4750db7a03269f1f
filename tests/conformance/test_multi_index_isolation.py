"""Every router in every mode: it sees and chooses readable libraries alone; what comes back is stored and readable."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import pytest

from ragspine_pg import Access, Document, Locator, MetadataFilter, RagSpine, Retriever
from ragspine_pg.client.multi_index import MultiIndexRetriever
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.retrieval.routing import LIBRARY_ROUTERS, CallableLibraryRouter, KeywordLibraryRouter
from tests.access import world
from tests.conformance.test_retrieval_mode_invariants import stored_text
from tests.fixtures.database import Database, clone
from tests.fixtures.spine import Plant, open_spine

READABLE = {
    world.STAFF: {"handbook", "manual"},
    world.FINANCE: {"handbook", "manual"},
    world.OUTSIDER: {"handbook", "manual"},
    world.NOBODY: set(),
    world.STRANGER: {"handbook"},
}
SEEN = {world.STAFF: 3, world.FINANCE: 3, world.OUTSIDER: 2, world.NOBODY: 0, world.STRANGER: 1}
"""How many passages each caller is given when all its libraries are searched."""


def _hostile(query: str, libraries: Sequence[LibraryDescription]) -> Iterable[Any]:
    """A model's worst day: what it may not know, what does not exist, twice, and what is no id at all."""
    return ["board", "nowhere", "handbook", "handbook", 7, None, "globex/handbook", "manual", "handbook"]


ROUTERS: dict[str, Callable[[], LibraryRouter | None]] = {
    "none": lambda: None,
    "keyword": KeywordLibraryRouter,
    "callable, hostile": lambda: CallableLibraryRouter(_hostile),
    "callable, without a choice": lambda: CallableLibraryRouter(lambda query, libraries: []),
    "callable, with a text": lambda: CallableLibraryRouter(lambda query, libraries: "handbook"),
    "callable, a generator": lambda: CallableLibraryRouter(lambda query, libraries: (x.library_id for x in libraries)),
}


def test_every_router_of_ours_is_here() -> None:
    assert {name.partition(",")[0] for name in ROUTERS} == {"none", *LIBRARY_ROUTERS}


def build(spine: RagSpine, *, embedded: bool = False) -> None:
    """Two libraries with something for everybody, one whose every text is hidden, and another tenant's."""
    world.build(spine, embedded=embedded)
    embedding = world.MODEL if embedded else None
    described = {
        "manual": "how to return an order: manual of the shop",
        "board": f"return an order within thirty days {world.CANARY}",
    }
    manual = Document("manual", "Manual: return an order within thirty days.")
    for library, documents in (("manual", [manual]), ("board", world.hidden_documents(3))):
        made = spine.create_library("acme", library, description=described[library], embedding=embedding)
        made.ingest(documents)


@pytest.fixture(scope="module", params=world.MODES)
def asked(request: pytest.FixtureRequest, server: EmbeddedServer, template: str) -> Iterator[world.World]:
    """The libraries, searched in every mode."""
    mode = world.MODES[request.param]
    with clone(server, template) as database, open_spine(database) as spine:
        build(spine, embedded=mode.embedded)
        yield world.World(spine, database, mode)


class _Watched:
    """A router, and the libraries that it was shown."""

    def __init__(self, router: LibraryRouter) -> None:
        self.name = router.name
        self._router = router
        self.shown: list[LibraryDescription] = []

    def route(self, query: str, libraries: Sequence[LibraryDescription]) -> Iterable[str]:
        self.shown += libraries
        return self._router.route(query, libraries)


def assert_isolated(
    base: Retriever,
    router: LibraryRouter | None,
    database: Database,
    mode: world.Mode = world.PLAIN,
    **options: Any,
) -> None:
    """The core: what each caller is given and its router is shown; that it is real; and that it is something."""
    legs = {"economy": {"lexical"}, "vector": {"vector"}, "hybrid": {"lexical", "vector"}}[mode.ran]
    results: dict[Access, SearchResult] = {}
    for access, readable in READABLE.items():
        watched = None if router is None else _Watched(router)
        searched = MultiIndexRetriever(base, watched, **options)
        result = results[access] = searched.search(
            world.QUESTION, access=access, expand="parent", mode=mode.mode, fusion=mode.fusion
        )
        if watched is not None:
            assert {library.library_id for library in watched.shown} == readable
            assert world.CANARY not in repr(watched.shown) or access is world.STRANGER
        assert set(result.index_versions) <= readable
        assert bool(result.hits) == bool(readable)
        assert result.mode == mode.ran or not readable
        assert {leg for hit in result.hits for leg in hit.scores} == (legs if readable else set())
        keys = [(hit.library_id, hit.chunk_id) for hit in result.hits]
        assert len(set(keys)) == len(keys)
        assert [hit.rank for hit in result.hits] == list(range(1, len(keys) + 1))
        for hit in result.hits:
            assert hit.tenant == access.tenant
            assert hit.library_id in readable
            assert hit.document_id in _documents(access)[hit.library_id]
            assert hit.sensitivity.value != "RESTRICTED"
            text = stored_text(database, hit.tenant, hit.document_id)
            locator = Locator.parse(hit.locator)
            assert locator.verify(text)
            assert text[locator.start : locator.end] == hit.text
            assert hit.index_version == result.index_versions[hit.library_id]
    assert world.CANARY not in results[world.OUTSIDER].to_json()
    if router is None or not isinstance(router, KeywordLibraryRouter):
        assert {access: len(result.hits) for access, result in results.items()} == SEEN


def _documents(access: Access) -> dict[str, set[str]]:
    if access.tenant == "globex":
        return {"handbook": {"theirs"}}
    own = {world.STAFF: {"staff"}, world.FINANCE: {"finance"}}.get(access, set())
    return {"handbook": {"open", *own}, "manual": {"manual"}}


@pytest.mark.parametrize("name", ROUTERS)
def test_routed_search_is_isolated_and_cited(asked: world.World, name: str) -> None:
    assert_isolated(asked.spine, ROUTERS[name](), asked.database, asked.mode)


@pytest.mark.parametrize("name", ROUTERS)
def test_weights_of_libraries_change_the_order_alone(asked: world.World, name: str) -> None:
    weights = {"manual": 3, "board": 9}
    assert_isolated(asked.spine, ROUTERS[name](), asked.database, asked.mode, library_weights=weights)


def test_without_a_router_not_a_byte_changes(asked: world.World) -> None:
    how: dict[str, Any] = {"mode": asked.mode.mode, "fusion": asked.mode.fusion}
    for access in READABLE:
        for libraries in (None, ["handbook"], ["manual", "handbook", "nowhere"]):
            plain = asked.spine.search(world.QUESTION, access=access, libraries=libraries, **how)
            routed = MultiIndexRetriever(asked.spine, "none").search(
                world.QUESTION, access=access, libraries=libraries, **how
            )
            assert routed.to_json() == plain.to_json()


def test_a_router_chooses_among_what_was_asked_for(asked: world.World) -> None:
    router = CallableLibraryRouter(lambda query, libraries: ["manual", "handbook"])
    searched = MultiIndexRetriever(asked.spine, router)
    result = searched.search(
        world.QUESTION,
        access=world.STAFF,
        libraries=["handbook", "board"],
        mode=asked.mode.mode,
        fusion=asked.mode.fusion,
    )
    assert set(result.index_versions) == {"handbook"}
    bound = searched.retriever(access=world.STAFF, libraries="manual").retrieve(world.QUESTION, top_k=3)
    assert [hit.library_id for hit in bound.hits] == ["manual"]


class _Leaking:
    """A base with a fault; everything else is the real one's."""

    def __init__(self, base: Retriever, search: Callable[..., SearchResult]) -> None:
        self._base = base
        self.search = search

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)


def _as_somebody_else(base: Retriever) -> Callable[..., SearchResult]:
    return lambda query, *, access, **options: base.search(query, access=world.FINANCE, **options)


def _everywhere(base: Retriever) -> Callable[..., SearchResult]:
    return lambda query, *, libraries, **options: base.search(query, libraries=None, **options)


def _changed(**changes: Any) -> Callable[[Retriever], Callable[..., SearchResult]]:
    from dataclasses import replace

    def leak(base: Retriever) -> Callable[..., SearchResult]:
        def search(query: str, **options: Any) -> SearchResult:
            result = base.search(query, **options)
            return replace(result, hits=tuple(replace(hit, **changes) for hit in result.hits))

        return search

    return leak


_NEVER = MetadataFilter.where("n", "eq", -1)
LEAKS: dict[str, Callable[[Retriever], Callable[..., SearchResult]]] = {
    "searches as somebody else": _as_somebody_else,
    "another library's name": _changed(library_id="board"),
    "another text": _changed(text="Returns are refused."),
    "another version": _changed(index_version=99),
    "a locator that is merely not empty": _changed(locator="page 1"),
    "nothing": lambda base: lambda query, **options: base.search(query, **options, metadata_filter=_NEVER),
}


@pytest.mark.parametrize("fault", LEAKS)
@pytest.mark.parametrize("name", ["none", "keyword", "callable, hostile"])
def test_isolation_core_has_teeth(asked: world.World, name: str, fault: str) -> None:
    base = cast("Retriever", _Leaking(asked.spine, LEAKS[fault](asked.spine)))
    with pytest.raises((AssertionError, ValueError, KeyError)):
        assert_isolated(base, ROUTERS[name](), asked.database, asked.mode)


def test_a_base_that_ignores_the_choice_is_noticed(asked: world.World) -> None:
    router = CallableLibraryRouter(lambda query, libraries: ["manual"])
    how: dict[str, Any] = {"access": world.STAFF, "mode": asked.mode.mode, "fusion": asked.mode.fusion}
    assert set(MultiIndexRetriever(asked.spine, router).search("order", **how).index_versions) == {"manual"}
    deaf = cast("Retriever", _Leaking(asked.spine, _everywhere(asked.spine)))
    assert len(MultiIndexRetriever(deaf, router).search("order", **how).index_versions) == 2


@pytest.mark.parametrize(
    "edit",
    [
        ("AND ragspine.reads_library_v1(l.tenant_no, l.library_no, classes)", ""),
        ("l.tenant_no = tenant", "true"),
    ],
    ids=["libraries with nothing to read", "other tenants' libraries"],
)
def test_what_a_router_is_shown_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, edit: tuple[str, str]
) -> None:
    build(fresh_spine)
    assert_isolated(fresh_spine, ROUTERS["keyword"](), fresh_database)
    edits = (
        [edit]
        if "true" not in edit[1]
        else [edit, ("AND ragspine.reads_library_v1(l.tenant_no, l.library_no, classes)", "")]
    )
    plant("readable_descriptions_v1", *edits)
    with pytest.raises(AssertionError):
        assert_isolated(fresh_spine, ROUTERS["keyword"](), fresh_database)
