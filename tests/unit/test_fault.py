"""What is told of an exception of an application's own code: type and place, never what it says."""

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from ragspine_pg import CallableReranker, Document, EmbeddingTask, make_embedding_model
from ragspine_pg.chunking.general import WholeChunker
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded
from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.contract.space import Distance, EmbeddingSpace
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import (
    EmbeddingError,
    IngestError,
    RagSpineError,
    RerankFailed,
    RerankUnavailable,
    SeamFailed,
)
from ragspine_pg.ingest.split import _cut
from ragspine_pg.retrieval.filtering.adapter import CallableFilterExtractor
from ragspine_pg.retrieval.filtering.extract import extract_filter
from ragspine_pg.retrieval.rerank.judge import judge
from ragspine_pg.retrieval.routing.adapter import CallableLibraryRouter
from ragspine_pg.retrieval.routing.multi_index import choose_libraries

SECRET = "the text of a passage"


def fail(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError(SECRET, SECRET)


class FailingModel:
    """An application's own, whose message quotes what it was given."""

    name = "own"
    remote = False
    options: Mapping[str, Any] = {}
    space = EmbeddingSpace("own", "own", "1", 8, Distance.COSINE, normalised=True)

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        return fail(texts)  # type: ignore[no-any-return]


class FailingChunker(WholeChunker):
    """Likewise."""

    def chunk(self, document: Document) -> list[Chunk]:
        return fail(document)  # type: ignore[no-any-return]


def embed() -> None:
    model = FailingModel()
    assert isinstance(model, EmbeddingModel)
    embed_checked(model, [SECRET], EmbeddingTask.RETRIEVAL_DOCUMENT)


SEAMS: dict[str, tuple[Callable[[], Any], type[RagSpineError]]] = {
    "reranker 'callable'": (
        lambda: judge(CallableReranker(fail), "q", [SECRET], seconds=10),
        RerankFailed,
    ),
    "library router 'callable'": (lambda: choose_libraries(CallableLibraryRouter(fail), "q", []), SeamFailed),
    "filter extractor 'callable'": (lambda: extract_filter(CallableFilterExtractor(fail), "q"), SeamFailed),
    "embedding model 'own'": (embed, EmbeddingError),
    "chunker 'whole'": (lambda: _cut(Document("d", SECRET), FailingChunker()), IngestError),
}


@pytest.mark.parametrize("seam", SEAMS)
def test_an_exception_is_logged_by_type_and_place_alone(seam: str, caplog: pytest.LogCaptureFixture) -> None:
    call, expected = SEAMS[seam]
    with caplog.at_level(logging.WARNING, logger="ragspine_pg"), pytest.raises(expected) as caught:
        call()
    line = inspect.getsourcelines(fail)[1] + 1
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("ragspine_pg", "WARNING")
    assert record.getMessage() == f"{seam} raised ZeroDivisionError at {__file__}:{line}"
    assert record.exc_info is None
    assert SECRET not in caplog.text
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_reranker_that_cannot_be_reached_is_told_from_one_that_is_at_fault() -> None:
    def away(query: str, texts: Sequence[str]) -> list[float]:
        raise ConnectionRefusedError

    with pytest.raises(RerankUnavailable):
        judge(CallableReranker(away), "q", [SECRET], seconds=10)


def test_what_is_no_model_is_told_the_same_members_everywhere() -> None:
    members = "name, options, space, remote and embed"
    refusals: list[Callable[[Any], Any]] = [make_embedding_model, KnownModels().add]
    for refuse in refusals:
        with pytest.raises(RagSpineError, match=members):
            refuse(object())
