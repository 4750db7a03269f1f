"""Routing by words, and what several libraries at once do with weights and failures."""

import math
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.multi_index import MultiIndexRetriever
from ragspine_pg.errors import ConfigurationError, DeadlineExceeded, EnvironmentChanged, QueryError, SeamFailed
from ragspine_pg.retrieval import selector
from ragspine_pg.retrieval.fuse import rrf_fuse
from ragspine_pg.retrieval.routing import (
    CallableLibraryRouter,
    KeywordLibraryRouter,
    LibraryDescription,
    make_library_router,
)
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine

ME = Access("shop", {"user:ann"})
LIBRARIES = {
    "returns": ("english", "Returning orders and refunds", "An order is returned in the shop."),
    "wages": ("english", "The payment of wages and holidays in the company", "Wages are paid for an order of work."),
    "resi": ("italian", "Resi e rimborsi degli ordini", "Un ordine si rende in negozio."),
    "tuihuo": ("cjk", "退货与退款", "商品可以退回。 order"),
    "bare": ("english", "", "An order without a description."),
}


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        for name, (analyzer, description, text) in LIBRARIES.items():
            library = spine.create_library("shop", name, analyzer=analyzer, description=description)
            library.ingest([Document(f"{name}-{n}", f"{text} {'order ' * n}") for n in range(3)])
        yield spine


def chosen(spine: RagSpine, query: str, **options: Any) -> list[str]:
    described = MultiIndexRetriever(spine).describe(query, access=ME)
    return KeywordLibraryRouter(**options).route(query, described)


def test_words_are_those_of_each_librarys_analyzer(built: RagSpine) -> None:
    assert chosen(built, "how do I return my orders?") == ["returns"]
    assert chosen(built, "rimborso di un ordine") == ["resi"]
    assert chosen(built, "我想退货") == ["tuihuo"]
    result = MultiIndexRetriever(built, "keyword").search("refund of an order", access=ME)
    assert list(result.index_versions) == ["returns"]


@pytest.mark.parametrize("query", ["a\0b", "a\ud800", "x" * 65_537, 7])
def test_what_is_no_query_is_refused_before_it_is_sent(built: RagSpine, query: Any) -> None:
    with pytest.raises(QueryError, match="query"):
        MultiIndexRetriever(built).describe(query, access=ME)


def test_stop_words_choose_nothing_and_no_shared_word_chooses_all(built: RagSpine) -> None:
    assert chosen(built, "the of and in") == sorted(LIBRARIES)
    assert chosen(built, "zebra") == sorted(LIBRARIES)
    assert chosen(built, "") == sorted(LIBRARIES)
    result = MultiIndexRetriever(built, "keyword").search(
        "order zebra crossing", access=ME, libraries=["bare", "wages"]
    )
    assert set(result.index_versions) == {"bare", "wages"}


def described(**words: str) -> list[LibraryDescription]:
    return [
        LibraryDescription(name, text, frozenset(text.split()), frozenset(["red", "green", "common"]))
        for name, text in words.items()
    ]


def test_a_rare_word_weighs_more_than_one_that_all_share() -> None:
    router = KeywordLibraryRouter(share=1)
    assert router.route("", described(a="common red", b="common blue", c="common blue")) == ["a"]
    assert router.route("", described(b="common green", a="common red", c="common")) == ["a", "b"]
    between = KeywordLibraryRouter(share=0.2)
    assert between.route("", described(c="common", a="common red", b="common blue")) == ["a"]
    common, rare = math.log1p(0.5 / 3.5), math.log1p(2.5 / 1.5)
    narrow = KeywordLibraryRouter(share=common / (common + rare))
    assert narrow.route("", described(c="common", a="common red", b="common blue")) == ["a", "b", "c"]


@pytest.mark.parametrize("share", [0, -1, 1.5, math.nan, "half", True])
def test_share_out_of_range_is_refused(share: Any) -> None:
    with pytest.raises(ConfigurationError, match="share"):
        KeywordLibraryRouter(share=share)


def test_routers_by_name_by_entry_point_and_handed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_library_router() is None
    assert make_library_router("none") is None
    assert isinstance(make_library_router("keyword", share=0.3), KeywordLibraryRouter)
    own = KeywordLibraryRouter()
    assert make_library_router(own) is own
    assert isinstance(make_library_router("callable", choose=lambda query, libraries: []), CallableLibraryRouter)
    offered = EntryPoints(
        [
            EntryPoint("theirs", "ragspine_pg.retrieval.routing:KeywordLibraryRouter", "ragspine_pg.routers"),
            EntryPoint("broken", "builtins:dict", "ragspine_pg.routers"),
        ]
    )
    monkeypatch.setattr(selector, "entry_points", lambda **selection: offered.select(**selection))
    assert isinstance(make_library_router("theirs"), KeywordLibraryRouter)
    for wrong, message in [("broken", "no library router"), ("llm", "none, keyword, callable, broken, theirs")]:
        with pytest.raises(ConfigurationError, match=message):
            make_library_router(wrong)
    for options in ({"limit": 3}, {"share": 0.5, "choose": 1}):
        with pytest.raises(ConfigurationError, match="options"):
            make_library_router("keyword", **options)
    with pytest.raises(ConfigurationError):
        make_library_router(own, share=0.3)
    with pytest.raises(ConfigurationError):
        make_library_router("none", share=0.3)
    with pytest.raises(ConfigurationError):
        make_library_router(object())  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError):
        make_library_router("callable", choose="keyword")


def test_weights_fuse_each_librarys_own_ranking(built: RagSpine) -> None:
    weights = {"wages": 2.0, "bare": 0.5, "absent": 7.0}
    libraries = ["returns", "wages", "bare"]
    alone = [
        [(hit.library_id, hit.chunk_id) for hit in built.search("order", access=ME, libraries=name).hits]
        for name in libraries
    ]
    expected = rrf_fuse(alone, weights=[1.0, 2.0, 0.5])
    for k in (1, 2, 5, 20):
        searched = MultiIndexRetriever(built, library_weights=weights)
        result = searched.search("order", access=ME, libraries=libraries, k=k)
        assert [((hit.library_id, hit.chunk_id), hit.score) for hit in result.hits] == expected[:k]
        assert result.reason == (None if k <= 9 else "fewer_matches")
    assert [hit.library_id for hit in result.hits][:2] == ["wages", "wages"]


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, "much", None])
def test_a_weight_that_is_none_is_refused(built: RagSpine, weight: Any) -> None:
    with pytest.raises(QueryError, match="weight"):
        MultiIndexRetriever(built, library_weights={"returns": weight})


def test_what_is_not_there_is_said_once_and_what_was_not_chosen_is_not_missed(built: RagSpine) -> None:
    routed = MultiIndexRetriever(built, "keyword")
    asked: dict[str, Any] = {"access": ME, "libraries": ["returns", "nowhere", "wages"], "k": 1}
    first = routed.search("refund of an order", **asked)
    assert list(first.index_versions) == ["returns"]
    assert first.warnings == ("library_without_readable_documents:nowhere",)
    assert routed.search("refund of an order", **asked, after=first.cursor).warnings == ()
    assert built.search("order", **asked, after=built.search("order", **asked).cursor).warnings == ()


def test_a_page_is_of_the_libraries_that_the_first_one_was_of(built: RagSpine) -> None:
    """A router need not choose twice the same, and is not asked twice."""
    answers = iter([["returns", "wages"], ["wages"]])
    asked = []

    def route(query: str, libraries: Any) -> list[str]:
        asked.append(query)
        return next(answers)

    several = MultiIndexRetriever(built, CallableLibraryRouter(route))
    first = several.search("order", access=ME, k=2)
    rest = several.search("order", access=ME, k=4, after=first.cursor)
    assert {hit.chunk_id for hit in (*first.hits, *rest.hits)} == {
        hit.chunk_id for hit in built.search("order", access=ME, libraries=["returns", "wages"]).hits
    }
    assert asked == ["order"]


def test_a_router_that_fails_is_an_error_or_reported(built: RagSpine) -> None:
    def choose(query: str, libraries: Any) -> list[str]:
        raise RuntimeError(f"cannot route {query}")

    with pytest.raises(SeamFailed, match="RuntimeError") as caught:
        MultiIndexRetriever(built, CallableLibraryRouter(choose)).search("order zebra", access=ME)
    assert "zebra" not in str(caught.value)
    result = MultiIndexRetriever(built, CallableLibraryRouter(choose), on_error="report").search("order", access=ME)
    assert set(result.index_versions) == set(LIBRARIES)
    assert result.warnings == ("router_failed",)


def test_a_library_that_fails_is_an_error_or_reported(fresh_spine: RagSpine, fresh_database: Database) -> None:
    for name in ("one", "two", "three"):
        fresh_spine.create_library("shop", name).ingest([Document(name, "An order.")])
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute(
            "UPDATE ragspine.index_version AS v SET environment = 'another' FROM ragspine.library AS l"
            " WHERE l.tenant_no = v.tenant_no AND l.library_no = v.library_no AND l.library_id = 'two'"
        )
    with pytest.raises(EnvironmentChanged):
        MultiIndexRetriever(fresh_spine).search("order", access=ME)
    reporting = MultiIndexRetriever(fresh_spine, on_error="report")
    for libraries in (None, ["one", "two", "three", "absent"]):
        result = reporting.search("order", access=ME, libraries=libraries)
        assert [hit.library_id for hit in result.hits] == ["one", "three"]
        assert result.warnings == ("library_failed:two:environment_changed",)
    with pytest.raises(EnvironmentChanged):
        reporting.search("order", access=ME, libraries=["two"])
    weighted = MultiIndexRetriever(fresh_spine, on_error="report", library_weights={"three": 2})
    assert [hit.library_id for hit in weighted.search("order", access=ME).hits] == ["three", "one"]


def test_a_fault_of_the_call_is_no_librarys(built: RagSpine) -> None:
    from ragspine_pg import Deadline, RetrievalContext

    reporting = MultiIndexRetriever(built, "keyword", on_error="report")
    with pytest.raises(DeadlineExceeded):
        reporting.search("order", access=ME, context=RetrievalContext(deadline=Deadline(0.0)))
    with pytest.raises(QueryError):
        reporting.search("order", access=ME, k=0)
    with pytest.raises(QueryError):
        reporting.search("order\0", access=ME)
    with pytest.raises(ConfigurationError):
        MultiIndexRetriever(built, on_error="ignore")  # type: ignore[arg-type]
