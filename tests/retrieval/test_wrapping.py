"""What settings put around a retriever."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragspine_pg import Access, AsyncRagSpine, Document, RagSpine, wrap_async_retriever, wrap_retriever
from ragspine_pg.cli.commands import app
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.metadata import load_json
from ragspine_pg.errors import ConfigurationError
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.retrieval.rerank_server import RerankServer

ME = Access("shop", {"user:ann"})


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        for name in ("returns", "wages"):
            library = spine.create_library("shop", name, description=f"all about {name}")
            library.ingest([Document(f"{name}-{n}", f"{name} {'word ' * n}", metadata={"n": n}) for n in range(4)])
        yield spine


def test_nothing_is_put_around_by_default(built: RagSpine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrap_retriever(built, ServiceConfig()) is built
    monkeypatch.setenv("RAGSPINE_LIBRARY_ROUTER", "keyword")
    assert wrap_retriever(built) is not built


def test_each_setting_does_its_part(built: RagSpine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = tmp_path / "terms.json"
    vocabulary.write_text(json.dumps({"n": [{"value": n, "terms": [f"number {n}"]} for n in range(4)]}))
    with RerankServer().running() as service:
        for name, value in {
            "LIBRARY_ROUTER": "keyword",
            "FILTER_EXTRACTOR": "controlled_vocab",
            "FILTER_VOCABULARY": str(vocabulary),
            "RERANKER": "http",
            "RERANK_URL": service.url,
            "RERANK_MODEL": "words",
            "RERANK_API_KEY": "secret",
        }.items():
            monkeypatch.setenv(f"RAGSPINE_{name}", value)
        config = ServiceConfig.load()
        assert "secret" not in repr(config)
        result = wrap_retriever(built, config).search("returns number 2 or number 1 of wages or words", access=ME)
        assert [hit.document_id for hit in result.hits] == ["returns-2", "wages-2", "returns-1", "wages-1"]
        assert result.warnings == ('extracted_filter:{"field":"n","op":"in","value":[1,2]}',)
        assert service.requests[0]["model"] == "words"
        assert service.headers[0]["Authorization"] == "Bearer secret"
        routed = wrap_retriever(built, config).search("wages", access=ME)
        assert set(routed.index_versions) == {"wages"}


@pytest.mark.parametrize(
    "settings",
    [
        {"library_router": "llm"},
        {"filter_extractor": "controlled_vocab"},
        {"filter_vocabulary": "terms.json"},
        {"reranker": "http"},
        {"reranker": "http", "rerank_url": "https://example.org"},
        {"rerank_api_key": "secret"},
    ],
)
def test_settings_that_do_not_go_together_are_refused(built: RagSpine, settings: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        wrap_retriever(built, ServiceConfig.load(**settings))


@pytest.fixture
def configured(built: RagSpine, database: Database, tmp_path: Path) -> Iterator[tuple[RagSpine, RerankServer]]:
    """A facade that was opened with all three settings, and the judge that it asks."""
    vocabulary = tmp_path / "terms.json"
    vocabulary.write_text(json.dumps({"n": [{"value": n, "terms": [f"number {n}"]} for n in range(4)]}))
    with RerankServer().running() as service:
        config = ServiceConfig.load(
            library_router="keyword",
            filter_extractor="controlled_vocab",
            filter_vocabulary=vocabulary,
            reranker="http",
            rerank_url=service.url,
            rerank_model="words",
            pool_size=1,
        )
        with RagSpine.open(database.reader_url, grant_key=database.grant_key, config=config) as spine:
            yield spine, service


QUERY = "number 2 or number 1 of all about wages, words"


def test_a_facade_searches_through_its_settings_by_every_door(
    built: RagSpine, configured: tuple[RagSpine, RerankServer]
) -> None:
    spine, service = configured
    expected = wrap_retriever(built, spine.config).search(QUERY, access=ME, k=3)
    assert [hit.document_id for hit in expected.hits] == ["wages-2", "wages-1"]
    assert expected.warnings == ('extracted_filter:{"field":"n","op":"in","value":[1,2]}',)
    assert "rerank" in expected.hits[0].scores
    asked = len(service.requests)
    assert spine.search(QUERY, access=ME, k=3).to_json() == expected.to_json()
    assert spine.retriever(access=ME).retrieve(QUERY, top_k=3).to_json() == expected.to_json()
    assert spine.library("shop", "wages").search(QUERY, access=ME, k=3).to_json() == expected.to_json()
    assert len(service.requests) == asked + 3, "each search asks the judge once"


def test_an_awaited_facade_searches_through_its_settings(
    configured: tuple[RagSpine, RerankServer], database: Database
) -> None:
    spine, _ = configured

    async def ask() -> list[str]:
        async with await AsyncRagSpine.open(
            database.reader_url, grant_key=database.grant_key, config=spine.config
        ) as awaited:
            first = await awaited.search(QUERY, access=ME, k=3)
            bound = await awaited.retriever(access=ME).retrieve(QUERY, top_k=3)
            again = await wrap_async_retriever(awaited, spine.config).search(QUERY, access=ME, k=3)
            return [result.to_json() for result in (first, bound, again)]

    assert asyncio.run(ask()) == [spine.search(QUERY, access=ME, k=3).to_json()] * 3


def test_what_the_settings_add_is_put_around_once(configured: tuple[RagSpine, RerankServer]) -> None:
    spine, service = configured
    result = wrap_retriever(spine, spine.config).search(QUERY, access=ME, k=3)
    assert len(result.warnings) == 1
    assert len(service.requests) == 1


def test_the_command_line_searches_through_its_settings(
    configured: tuple[RagSpine, RerankServer], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    spine, _ = configured
    for name in ("library_router", "filter_extractor", "filter_vocabulary", "reranker", "rerank_url", "rerank_model"):
        monkeypatch.setenv(f"RAGSPINE_{name.upper()}", str(getattr(spine.config, name)))
    monkeypatch.setenv("RAGSPINE_DATABASE_URL", database.reader_url)
    monkeypatch.setenv("RAGSPINE_GRANT_KEY", database.grant_key)
    done = CliRunner().invoke(app, ["search", "shop", QUERY, "--as", "user:ann", "-k", "3", "--json"])
    assert done.exit_code == 0, done.output
    printed = load_json(done.stdout)
    assert printed.pop("usage")["seconds"] > 0
    assert canonical_json(printed) == spine.search(QUERY, access=ME, k=3).to_json()


REFUSED = [
    (
        {"rerank_url": "https://example.org"},
        "RAGSPINE_RERANK_URL is set, and no reranker: choose one by RAGSPINE_RERANKER",
    ),
    ({"reranker": "http"}, "'http' needs base_url (set by RAGSPINE_RERANKER, base_url by RAGSPINE_RERANK_URL, "),
    ({"library_router": "llm"}, "there are: none, keyword, callable (set by RAGSPINE_LIBRARY_ROUTER)"),
    ({"filter_extractor": "controlled_vocab"}, "needs vocabulary (set by RAGSPINE_FILTER_EXTRACTOR, vocabulary by "),
    ({"filter_extractor": "controlled_vocab", "filter_vocabulary": "/no/such/terms.json"}, "/no/such/terms.json"),
]


@pytest.mark.parametrize(("settings", "told"), REFUSED)
def test_settings_that_do_not_go_together_are_refused_at_open(
    database: Database, settings: dict[str, str], told: str
) -> None:
    config = ServiceConfig.load(pool_size=1, **settings)
    with pytest.raises(ConfigurationError) as refused:
        RagSpine.open(database.reader_url, grant_key=database.grant_key, config=config)
    assert told in str(refused.value)
    with pytest.raises(ConfigurationError) as again:
        asyncio.run(AsyncRagSpine.open(database.reader_url, grant_key=database.grant_key, config=config))
    assert str(again.value) == str(refused.value)


def test_explain_is_about_the_path_itself(built: RagSpine, configured: tuple[RagSpine, RerankServer]) -> None:
    spine, service = configured
    told = spine.explain("wages", access=ME, library_id="wages", document_id="wages-0")
    assert told == built.explain("wages", access=ME, library_id="wages", document_id="wages-0")
    assert service.requests == []
