"""The vectors that are shipped with the demo fit its corpus and the real model."""

import json

import pytest

from ragspine_pg import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.demo import vectors
from ragspine_pg.demo.libraries import demo_libraries
from ragspine_pg.demo.vectors import VECTORS, DemoModel, embedded_passages, vector_key
from ragspine_pg.embedding.local import LocalModel


def test_shipped_vectors_are_those_of_the_corpus_and_of_the_real_model() -> None:
    shipped = json.loads(VECTORS.read_text(encoding="ascii"))
    texts = sorted({text for _, text in embedded_passages()})
    model = LocalModel()
    assert shipped["fingerprint"] == model.space.fingerprint
    assert sorted(shipped["vectors"]) == sorted(map(vector_key, texts))
    assert len(texts) > 150
    sample = texts[:: len(texts) // 8]
    assert agree(DemoModel(model), model, sample)
    assert VECTORS.stat().st_size < 250_000


def test_agreement_of_vectors_has_teeth(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = LocalModel(), ["Returns\nA customer may return an order.", "Rental\nTents are rented by the day."]
    made = dict(zip(map(vector_key, texts), model.embed(texts, EmbeddingTask.RETRIEVAL_DOCUMENT).vectors, strict=True))
    swapped = dict(zip(made, reversed(made.values()), strict=True))
    monkeypatch.setattr(vectors, "_shipped", lambda: (model.space.fingerprint, made))
    assert agree(DemoModel(model), model, texts)
    monkeypatch.setattr(vectors, "_shipped", lambda: (model.space.fingerprint, swapped))
    assert not agree(DemoModel(model), model, texts)
    # Another release's weights: nothing of the file is used.
    monkeypatch.setattr(vectors, "_shipped", lambda: ("another space", swapped))
    assert agree(DemoModel(model), model, texts)


def agree(one: EmbeddingModel, other: EmbeddingModel, texts: list[str]) -> bool:
    """Whether two models give the same vectors of documents, but for float16."""
    task = EmbeddingTask.RETRIEVAL_DOCUMENT
    pairs = zip(one.embed(texts, task).vectors, other.embed(texts, task).vectors, strict=True)
    return all(abs(a - b) < 1e-3 for left, right in pairs for a, b in zip(left, right, strict=True))


def test_no_restricted_text_is_shipped_as_a_vector() -> None:
    embedded = [(library.tenant, text) for library, text in embedded_passages()]
    for library in demo_libraries():
        for document in library.documents:
            there = any(
                tenant == library.tenant and text.startswith(f"{document.title}\n") for tenant, text in embedded
            )
            assert there == (document.sensitivity is not Sensitivity.RESTRICTED), document.id


def test_a_demo_model_computes_what_is_not_shipped_and_every_query() -> None:
    model = LocalModel()
    demo = DemoModel(model)
    _, shipped = next(iter(embedded_passages()))
    document = demo.embed([shipped, "Something else."], EmbeddingTask.RETRIEVAL_DOCUMENT)
    assert document.usage.items == 1
    assert document.vectors[1] == model.embed(["Something else."], EmbeddingTask.RETRIEVAL_DOCUMENT).vectors[0]
    query = demo.embed([shipped], EmbeddingTask.RETRIEVAL_QUERY)
    assert query.usage.items == 1
    assert query.vectors == model.embed([shipped], EmbeddingTask.RETRIEVAL_QUERY).vectors
