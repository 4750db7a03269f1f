"""A dataset against a real library: known figures, documents by their best chunk, and which library is searched."""

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError, NotFound
from ragspine_pg.evaluation import Dataset, EvaluationReport, evaluate, load_dataset
from ragspine_pg.evaluation.choice import TENANT
from ragspine_pg.evaluation.measures import MEASURES, measure
from tests.evaluation.tiny import write_dataset


def values(report: EvaluationReport) -> dict[str, dict[str, float]]:
    return {case.query_id: dict(case.values) for case in report.cases}


@pytest.fixture
def fruit(tmp_path: Path) -> Dataset:
    return load_dataset(write_dataset(tmp_path / "fruit"))


def test_figures_are_those_worked_out_by_hand(spine: RagSpine, fruit: Dataset) -> None:
    report = evaluate(spine, fruit, chunker="whole")
    assert [case.found for case in report.cases] == [
        ("pears", "apples"),
        ("apples", "cider"),
        ("quinces", "apples", "cider"),
        (),
    ]
    # Linear gain over log2(rank + 1). q0 finds grades 1, 0, 3 where 3, 1 is best; q1 finds its one document second.
    expected = {
        "q2": {"nDCG@10": 1.0, "P@10": 0.1, "R@10": 1.0, "R@100": 1.0, "RR": 1.0},
        "q1": {"nDCG@10": 1 / log2(3), "P@10": 0.1, "R@10": 1.0, "R@100": 1.0, "RR": 0.5},
        "q0": {
            "nDCG@10": (1 + 3 / log2(4)) / (3 + 1 / log2(3)),
            "P@10": 0.2,
            "R@10": 1.0,
            "R@100": 1.0,
            "RR": 1.0,
        },
        "q3": dict.fromkeys(MEASURES, 0.0),
    }
    assert values(report) == {query: pytest.approx(of, abs=1e-12) for query, of in expected.items()}
    assert report.metrics == pytest.approx(
        {name: sum(of[name] for of in expected.values()) / 4 for name in MEASURES}, abs=1e-12
    )
    assert (report.queries, report.documents, report.chunks, report.mode) == (4, 4, 4, "economy")
    assert report.cases[2].relevant == {"quinces": 1, "apples": 0, "cider": 3}
    assert (report.cases[2].judged_relevant, report.cases[0].judged_relevant) == (2, 1)


def test_economy_embeds_nothing_that_was_not_asked_for(
    spine: RagSpine, fruit: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spine, "config", spine.config.model_copy(update={"embedding": "hashing"}))

    def embedded(mode: str, **options: Any) -> bool:
        report = evaluate(spine, fruit, mode=mode, keep=True, **options)
        (made,) = [found.library_id for found in spine.ingestor.libraries(TENANT) if found.library_id not in seen]
        seen.add(made)
        assert report.queries == 4
        return "embedding" in spine.library(TENANT, made).versions()[0].profile

    seen = {found.library_id for found in spine.ingestor.libraries(TENANT)}
    assert not embedded("economy")
    assert embedded("hybrid")
    assert embedded("economy", embedding="hashing", profile={"k1": 1.3})


def test_json_is_the_public_form(spine: RagSpine, fruit: Dataset) -> None:
    report = evaluate(spine, fruit, chunker="whole")
    written = json.loads(report.to_json())
    assert list(written) == sorted(["dataset", "dataset_version", "mode", "queries", "metrics", "latency_ms", "usage"])
    assert (written["dataset"], written["dataset_version"]) == ("fruit", fruit.version)
    assert sorted(written["metrics"]) == sorted(MEASURES)
    assert 0 < written["latency_ms"]["p50"] <= written["latency_ms"]["p95"]
    assert written["usage"]["items"] == 0
    assert 0 < written["usage"]["seconds"] <= sum(case.milliseconds for case in report.cases) / 1000
    assert EvaluationReport.from_json(report.to_json(cases=True)) == report


@pytest.fixture
def chapters(tmp_path: Path) -> Dataset:
    """``book`` has 40 chunks about apples, each a better one than the only chunk of ``note``."""
    paragraph = "Apples apples apples."
    return load_dataset(
        write_dataset(
            tmp_path / "chapters",
            documents=[
                {"id": "book", "text": "\n\n".join([paragraph] * 40)},
                {"id": "note", "text": "Apples, pears and all the other fruit."},
                {"id": "gem", "text": "Nothing of interest is said in here.\n\nApples apples apples apples."},
            ],
            queries=[{"id": "q", "text": "apples"}],
            grades={"q": {"note": 1, "gem": 2}},
        )
    )


def test_a_document_ranks_by_its_best_chunk_and_once(spine: RagSpine, chapters: Dataset) -> None:
    report = evaluate(spine, chapters, chunker="default", profile={"chunker_options": {"size": 40}})
    assert report.chunks > 40
    assert report.cases[0].found == ("gem", "book", "note")


def test_chunks_of_one_document_do_not_crowd_out_the_others(spine: RagSpine, chapters: Dataset) -> None:
    profile = {"chunker_options": {"size": 40}}
    report = evaluate(spine, chapters, chunker="default", profile=profile, k=3)
    assert report.cases[0].found == ("gem", "book", "note")
    two = evaluate(spine, chapters, chunker="default", profile=profile, k=2)
    assert two.cases[0].found == ("gem", "book")


def test_profiles_never_mix_and_a_kept_library_is_used_again(spine: RagSpine, fruit: Dataset) -> None:
    stages: list[str] = []

    def note(progress: Progress) -> None:
        stages.append(progress.stage)

    profiles: list[dict[str, Any]] = [{}, {"k1": 0.9}, {"pivot": "measured"}, {}]
    reports = [
        evaluate(spine, fruit, chunker="whole", profile={**p, "b": 0.5}, keep=True, progress=note) for p in profiles
    ]
    assert len({report.library for report in reports}) == 3
    assert reports[0].library == reports[3].library
    assert values(reports[0]) == values(reports[3])
    assert evaluate(spine, fruit, chunker="whole", analyzer="simple", keep=True).library not in {
        r.library for r in reports
    }
    assert stages.count("search") == 4 * 4
    assert "search" not in stages[: stages.index("read") + 1]
    assert "read" not in stages[-4:]


def libraries(spine: RagSpine, tenant: str = TENANT) -> set[str]:
    return {f"{found.tenant}/{found.library_id}" for found in spine.ingestor.libraries(tenant)}


def test_a_scratch_library_is_dropped_at_the_end_however_that_comes(spine: RagSpine, fruit: Dataset) -> None:
    before = libraries(spine)
    report = evaluate(spine, fruit, chunker="whole")
    assert report.library.startswith(f"{TENANT}/fruit-")
    for stage in ("read", "search"):
        for failure in (ZeroDivisionError, KeyboardInterrupt):

            def fail(progress: Progress, stage: str = stage, failure: type[BaseException] = failure) -> None:
                if progress.stage == stage:
                    raise failure

            with pytest.raises(failure):
                evaluate(spine, fruit, chunker="whole", progress=fail)
    assert libraries(spine) == before
    kept = evaluate(spine, fruit, chunker="whole", profile={"b": 0.25}, keep=True).library
    assert libraries(spine) == {*before, kept}


def test_a_changed_dataset_gets_a_library_of_its_own(spine: RagSpine, fruit: Dataset, tmp_path: Path) -> None:
    changed = load_dataset(write_dataset(tmp_path / "again" / "fruit", documents=[{"id": "cider", "text": "apples"}]))
    names = [evaluate(spine, dataset, chunker="whole", keep=True).library for dataset in (fruit, changed)]
    assert changed.name == fruit.name
    assert len(set(names)) == 2
    assert all(name.startswith(f"{TENANT}/fruit-") for name in names)


def test_a_named_library_is_never_made_or_filled(spine: RagSpine, fruit: Dataset) -> None:
    before = libraries(spine, "mine")
    with pytest.raises(NotFound, match="no library mine/missing: fill one before"):
        evaluate(spine, fruit, library=spine.library("mine", "missing"), chunker="whole")
    assert libraries(spine, "mine") == before
    empty = spine.create_library("mine", "empty", chunker="whole", profile={"k1": 2})
    with pytest.raises(ConfigurationError, match="mine/empty holds no document"):
        evaluate(spine, fruit, library=empty)
    assert empty.stats().documents == 0
    with pytest.raises(ConfigurationError, match="keep is of a scratch library"):
        evaluate(spine, fruit, library=empty, keep=True)


def graded(folder: Path, grades: dict[str, dict[str, int]]) -> Dataset:
    return load_dataset(write_dataset(folder / "fruit", grades=grades))


def test_grades_of_documents_that_the_corpus_lacks_are_told_of(spine: RagSpine, tmp_path: Path) -> None:
    before = libraries(spine)
    with pytest.raises(ConfigurationError, match=r"2 of 2 relevant documents of qrels\.tsv are not in the corpus"):
        evaluate(spine, graded(tmp_path / "none", {"q1": {"Cider": 1, "Pears": 1}, "q2": {"Cider": 1}}))
    assert libraries(spine) == before
    some = evaluate(spine, graded(tmp_path / "some", {"q1": {"cider": 1}, "q2": {"Pears": 1}}), chunker="whole")
    assert some.warnings == ("1 of 2 relevant documents of qrels.tsv is not in the corpus",)
    assert json.loads(some.to_json())["warnings"] == list(some.warnings)
    assert EvaluationReport.from_json(some.to_json(cases=True)) == some


def test_a_library_of_other_documents_or_with_nothing_to_read_is_told_of(spine: RagSpine, fruit: Dataset) -> None:
    library = spine.create_library("mine", "others", chunker="whole")
    library.ingest([Document(f"other-{n}", "apples, pears, quinces") for n in range(5)], readers={"group:fruit"})
    assert evaluate(spine, fruit, library=library).warnings == (
        "nothing in the library is readable for whom the queries are asked as",
    )
    assert evaluate(spine, fruit, library=library, access=Access("mine", {"group:fruit"})).warnings == (
        "none of the documents found is in the corpus: the library holds others",
    )


def test_a_library_with_documents_is_searched_as_it_is_and_as_whom_one_says(spine: RagSpine, fruit: Dataset) -> None:
    library = spine.create_library("mine", "kept", chunker="whole")
    library.ingest(fruit.documents(), readers={"group:fruit"})
    before = library.stats()
    assert evaluate(spine, fruit, library=library).metrics["R@100"] == 0
    asked = evaluate(spine, fruit, library=library, access=Access("mine", {"group:fruit"}))
    assert asked.metrics["R@100"] == 0.75
    assert library.stats() == before


def test_a_library_that_lacks_documents_or_has_another_profile_is_refused(spine: RagSpine, fruit: Dataset) -> None:
    library = spine.create_library("mine", "short", chunker="whole")
    library.ingest(list(fruit.documents())[:2])
    with pytest.raises(ConfigurationError, match="holds 2 documents and the dataset 4"):
        evaluate(spine, fruit, library=library)
    library.ingest(fruit.documents())
    assert evaluate(spine, fruit, library=library, analyzer="english", chunker="whole").queries == 4
    others: list[dict[str, Any]] = [{"analyzer": "simple"}, {"chunker": "default"}, {"profile": {"k1": 1}}]
    for other in others:
        with pytest.raises(ConfigurationError, match="another"):
            evaluate(spine, fruit, library=library, **other)


@pytest.mark.parametrize("k", [0, 1001, True, 2.0])
def test_k_out_of_range_is_refused(spine: RagSpine, fruit: Dataset, k: Any) -> None:
    with pytest.raises(ConfigurationError):
        evaluate(spine, fruit, k=k)


def test_only_the_order_of_a_ranking_counts(fruit: Dataset) -> None:
    q0 = [case for case in fruit.cases if case.query_id == "q0"]
    found = {order: measure(q0, {"q0": list(order)})["q0"]["RR"] for order in (("z", "cider"), ("cider", "z"))}
    assert found == {("z", "cider"): 0.5, ("cider", "z"): 1.0}
    assert measure(q0, {})["q0"] == dict.fromkeys(MEASURES, 0.0)


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_mode_that_nothing_makes_vectors_for_asks_for_an_embedding(
    spine: RagSpine, fruit: Dataset, mode: str
) -> None:
    before = spine.ingestor.libraries()
    with pytest.raises(ConfigurationError, match="name a model, such as embedding='hashing'"):
        evaluate(spine, fruit, mode=mode)
    assert spine.ingestor.libraries() == before
    assert evaluate(spine, fruit, mode=mode, embedding="hashing").mode == mode
