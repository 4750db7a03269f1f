"""Vectors that a dataset brings along: found by text, refused for any other, and evaluated in every mode."""

import json
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

import numpy
import pytest
from typer.testing import CliRunner

from ragspine_pg import Document, RagSpine
from ragspine_pg.cli.commands import app
from ragspine_pg.embedding import embed_checked
from ragspine_pg.errors import ConfigurationError, InvalidEmbeddingInput
from ragspine_pg.evaluation import Dataset, EvaluationReport, compare, evaluate, load_dataset, write_report
from ragspine_pg.evaluation.precomputed import PrecomputedModel
from tests.evaluation.tiny import write_dataset
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine

CORPUS = {"pears": [1, 0, 0], "apples": [0.6, 0.8, 0], "cider": [0, 1, 0], "quinces": [0, 0, 1], "nothing": [0, 0, 0]}
QUERIES = {"q2": [0, 1, 0.5], "q1": [0, 1, 0], "q0": [0.1, 0.2, 1], "unjudged": [1, 0, 0]}
# By cosine: q2 finds cider, apples, quinces, pears; q1 cider, apples, pears and quinces tied; q3 has no vector.


def write_vectors(folder: Path, *, label: str = "tiny", **changes: Any) -> None:
    arrays = {
        "corpus_ids": numpy.array(list(CORPUS)),
        "corpus": numpy.array(list(CORPUS.values()), dtype=numpy.float16),
        "query_ids": numpy.array(list(QUERIES)),
        "queries": numpy.array(list(QUERIES.values()), dtype=numpy.float16),
    }
    numpy.savez(folder / f"vectors-{label}.npz", **{**arrays, **changes})


@pytest.fixture
def fruit(tmp_path: Path) -> Dataset:
    folder = write_dataset(tmp_path / "fruit")
    write_vectors(folder)
    return load_dataset(folder)


def test_texts_have_the_vectors_of_their_documents_and_queries(fruit: Dataset) -> None:
    model = PrecomputedModel(fruit, "tiny")
    found = embed_checked(model, ["Quinces\nQuinces are cooked before they are eaten."], "retrieval_document")  # type: ignore[arg-type]
    assert list(found.vectors[0]) == [0, 0, 1]
    found = embed_checked(model, ["apples", "where do pears ripen"], "retrieval_query")  # type: ignore[arg-type]
    assert [list(vector) for vector in found.vectors] == [QUERIES["q1"], QUERIES["q2"]]
    assert (model.space.model, model.space.dimensions, model.remote) == ("tiny", 3, False)
    assert [case.query_id for case in fruit.cases if not model.knows(case)] == ["q3"]


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Quinces are cooked before they are eaten.", "retrieval_document"),  # without its title
        ("apples", "retrieval_document"),  # a query is no document
        ("plums", "retrieval_query"),  # a query without a vector
        ("Secret of the house", "retrieval_query"),
    ],
)
def test_another_text_is_refused_and_not_quoted(fruit: Dataset, text: str, task: Any) -> None:
    with pytest.raises(InvalidEmbeddingInput, match="hold none for this text") as caught:
        embed_checked(PrecomputedModel(fruit, "tiny"), [text], task, labels=["the-id"])
    assert "the-id" in str(caught.value)
    assert text not in str(caught.value)


def test_other_vectors_are_another_space(fruit: Dataset) -> None:
    before = PrecomputedModel(fruit, "tiny").space
    assert PrecomputedModel(fruit, "tiny").space == before
    write_vectors(fruit.corpus.parent, corpus=numpy.eye(5, 3, dtype=numpy.float16) + 1)
    assert PrecomputedModel(fruit, "tiny").space.fingerprint != before.fingerprint


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpus_ids": numpy.array(["pears"] * 5)}, "corpus_ids are not one id a row"),
        ({"query_ids": numpy.array(["q0"])}, "query_ids are not one id a row"),
        ({"queries": numpy.ones((4, 2))}, "different lengths"),
        ({"queries": numpy.ones(4)}, "no file of arrays"),
        ({"corpus": numpy.array([{}] * 5, dtype=object)}, "no file of arrays"),
    ],
)
def test_a_malformed_file_is_refused(fruit: Dataset, changes: dict[str, Any], message: str) -> None:
    write_vectors(fruit.corpus.parent, **changes)
    with pytest.raises(ConfigurationError, match=message):
        PrecomputedModel(fruit, "tiny")


def test_what_is_no_archive_is_refused(fruit: Dataset) -> None:
    (fruit.corpus.parent / "vectors-tiny.npz").write_bytes(b"not a zip file")
    with pytest.raises(ConfigurationError, match="no file of arrays"):
        PrecomputedModel(fruit, "tiny")


def test_a_missing_file_is_named_with_those_that_are_there(fruit: Dataset) -> None:
    with pytest.raises(ConfigurationError, match=r"no vectors-big\.npz; there is: precomputed:tiny"):
        PrecomputedModel(fruit, "big")
    with pytest.raises(ConfigurationError, match="NAME names a file"):
        PrecomputedModel(fruit, "../fruit/tiny")


def _twice(tmp_path: Path, second: list[float]) -> Dataset:
    documents = [{"id": "one", "text": "the same"}, {"id": "two", "text": "the same "}]
    folder = write_dataset(
        tmp_path / "twice", documents=documents, queries=[{"id": "q", "text": "q"}], grades={"q": {"one": 1}}
    )
    write_vectors(
        folder,
        corpus_ids=numpy.array(["one", "two"]),
        corpus=numpy.array([[0.6, 0.8, 0], second], dtype=numpy.float32),
        query_ids=numpy.array(["q"]),
        queries=numpy.ones((1, 3)),
    )
    return load_dataset(folder)


def test_one_text_with_two_vectors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="a text occurs twice"):
        PrecomputedModel(_twice(tmp_path, [0.8, 0.6, 0]), "tiny")


def test_vectors_of_one_text_may_differ_by_rounding(tmp_path: Path) -> None:
    model = PrecomputedModel(_twice(tmp_path, [0.6002, 0.7999, 0]), "tiny")
    found = embed_checked(model, ["the same"], "retrieval_document")  # type: ignore[arg-type]
    assert list(found.vectors[0]) == pytest.approx([0.6, 0.8, 0])


def test_vector_figures_are_those_worked_out_by_hand(spine: RagSpine, fruit: Dataset) -> None:
    report = evaluate(spine, fruit, embedding="precomputed:tiny", mode="vector")
    found = {case.query_id: case for case in report.cases}
    assert found["q2"].found == ("cider", "apples", "quinces", "pears")
    assert found["q1"].found[:2] == ("cider", "apples")
    assert found["q2"].values["nDCG@10"] == pytest.approx(1 / log2(5))
    assert found["q1"].values["RR"] == 1
    assert (report.mode, report.queries, report.left_out) == ("vector", 3, 1)
    assert report.profile["chunker"]["name"] == "whole"
    assert report.usage.items == 3
    written = json.loads(report.to_json())
    assert written["left_out"] == 1
    assert EvaluationReport.from_json(report.to_json(cases=True)) == report


@pytest.mark.parametrize(
    ("mode", "fusion", "ran", "queries"),
    [
        ("economy", None, "economy", 4),
        ("hybrid", "rrf", "hybrid", 3),
        ("hybrid", "convex", "hybrid", 3),
        ("auto", None, "hybrid", 3),
        (None, None, "hybrid", 3),
    ],
)
def test_every_mode_is_evaluated(
    spine: RagSpine, fruit: Dataset, tmp_path: Path, mode: str | None, fusion: str | None, ran: str, queries: int
) -> None:
    report = evaluate(spine, fruit, embedding="precomputed:tiny", mode=mode, fusion=fusion)
    assert (report.mode, report.queries, report.left_out) == (ran, queries, 4 - queries)
    write_report(report, tmp_path / "report.html")
    assert ("without a vector left out" in (tmp_path / "report.html").read_text()) == (queries == 3)


def test_fusions_differ(spine: RagSpine, fruit: Dataset) -> None:
    found = {
        fusion: [
            case.found
            for case in evaluate(
                spine, fruit, embedding="precomputed:tiny", mode="hybrid", fusion=fusion, keep=True
            ).cases
        ]
        for fusion in ("rrf", "convex")
    }
    assert found["rrf"] != found["convex"]


def test_one_library_serves_all_modes_and_runs_of_them_are_compared(fruit: Dataset, database: Database) -> None:
    some = replace(fruit, cases=tuple(case for case in fruit.cases if case.query_id != "q3"))
    with open_spine(database) as spine:
        vector = evaluate(spine, some, embedding="precomputed:tiny", mode="vector", keep=True)
    with open_spine(database) as another:  # which has to learn of the model again
        economy = evaluate(another, some, embedding="precomputed:tiny", mode="economy", keep=True)
        again = evaluate(another, some, embedding="precomputed:tiny", mode="vector", keep=True)
    assert vector.library == economy.library == again.library
    assert vector.metrics == again.metrics
    assert compare(economy, vector).queries == 3


def test_a_named_model_is_evaluated_with_its_options(spine: RagSpine, fruit: Dataset) -> None:
    report = evaluate(
        spine,
        fruit,
        embedding="hashing",
        profile={"embedding_options": {"dimensions": 64}, "fusion": "convex"},
        mode="vector",
    )
    assert report.profile["embedding"]["options"] == {"dimensions": 64}
    assert (report.queries, report.left_out) == (4, 0)
    assert report.cases[1].found[0] == "apples"


def test_vectors_of_whole_documents_go_with_no_other_chunker(spine: RagSpine, fruit: Dataset) -> None:
    with pytest.raises(ConfigurationError, match="whole documents"):
        evaluate(spine, fruit, embedding="precomputed:tiny", chunker="default")


def test_a_library_of_another_space_is_refused(spine: RagSpine, fruit: Dataset) -> None:
    library = spine.create_library("mine", "hashed", chunker="whole", embedding="hashing")
    library.ingest(fruit.documents())
    with pytest.raises(ConfigurationError, match="another embedding"):
        evaluate(spine, fruit, library=library, embedding="precomputed:tiny", mode="vector")
    assert evaluate(spine, fruit, library=library, mode="vector").queries == 4


def test_without_an_embedding_a_vector_mode_is_refused(spine: RagSpine, fruit: Dataset) -> None:
    with pytest.raises(ConfigurationError, match="name a model"):
        evaluate(spine, fruit, mode="vector")


def test_a_document_without_a_vector_stops_the_ingest(spine: RagSpine, fruit: Dataset) -> None:
    write_vectors(fruit.corpus.parent, corpus_ids=numpy.array(["pears", "apples", "other", "quinces", "nothing"]))
    with pytest.raises(InvalidEmbeddingInput, match="cider") as caught:
        evaluate(spine, fruit, embedding="precomputed:tiny", mode="vector")
    assert "pressed and fermented" not in str(caught.value)
    library = spine.create_library(
        "mine", "partial", chunker="whole", embedding=PrecomputedModel(load_dataset(fruit.corpus.parent), "tiny")
    )
    with pytest.raises(InvalidEmbeddingInput):
        library.ingest([Document("new", "A text that nobody embedded.")])
    assert library.stats().documents == 0


def test_no_query_with_a_vector_is_an_error(spine: RagSpine, fruit: Dataset) -> None:
    write_vectors(fruit.corpus.parent, query_ids=numpy.array(["a", "b", "c", "d"]))
    with pytest.raises(ConfigurationError, match="no query of fruit"):
        evaluate(spine, fruit, embedding="precomputed:tiny", mode="hybrid")


def test_the_command_line_takes_embedding_mode_and_fusion(
    fruit: Dataset, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_DATABASE_URL", database.reader_url)
    monkeypatch.setenv("RAGSPINE_INGEST_URL", database.ingest_url)
    monkeypatch.setenv("RAGSPINE_GRANT_KEY", database.grant_key)
    words = ["evaluate", str(fruit.corpus.parent), "--embedding", "precomputed:tiny", "--mode", "hybrid"]
    done = CliRunner().invoke(app, [*words, "--fusion", "convex", "--json"])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    assert (printed["mode"], printed["queries"], printed["left_out"]) == ("hybrid", 3, 1)
    shown = CliRunner().invoke(app, words)
    assert "queries left out, having no precomputed vector: 1" in shown.output
    refused = CliRunner().invoke(app, [*words, "--fusion", "mean"])
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
