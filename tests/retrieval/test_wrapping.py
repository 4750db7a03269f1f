"""What settings put around a retriever."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_pg import Access, Document, RagSpine, wrap_retriever
from ragspine_pg.config import ServiceConfig
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
