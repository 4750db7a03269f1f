"""Runs a dataset against a library."""

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragspine_pg.client.library import Library
from ragspine_pg.client.spine import RagSpine
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.ingest import LibraryStats
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.contract.plain import plain_query
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import MAX_K
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError, NotFound
from ragspine_pg.evaluation.choice import TENANT, Choice
from ragspine_pg.evaluation.dataset import Case, Dataset
from ragspine_pg.evaluation.measures import check_installed, measure
from ragspine_pg.evaluation.report import CaseResult, EvaluationReport
from ragspine_pg.ingest.progress import Meter, OnProgress

SHOWN = 10
"""How many of the documents found a report keeps for each case."""


def evaluate(
    spine: RagSpine,
    dataset: Dataset,
    *,
    library: Library | None = None,
    access: Access | None = None,
    mode: RetrievalMode | str | None = None,
    fusion: Fusion | str | Mapping[str, Any] | None = None,
    embedding: str | EmbeddingModel | None = None,
    chunker: str | Chunker | None = None,
    analyzer: str | None = None,
    profile: Mapping[str, Any] | None = None,
    k: int = 100,
    keep: bool = False,
    progress: OnProgress | None = None,
) -> EvaluationReport:
    """Search every case of ``dataset`` and measure the rankings of its first ``k`` documents.

    Without ``library`` the documents go into a scratch library of tenant ``evaluation``, which is dropped at the end,
    however that comes. With ``keep`` it stays, named after the dataset, its version and the whole profile, so that two
    profiles never mix, and the next run that keeps uses it again. A ``library`` is
    evaluated as it is: it is never made, filled or written to, and ``chunker``, ``analyzer``, ``embedding`` and
    ``profile`` must be its own. ``analyzer`` is never guessed from
    the texts: without one it is that of the configuration (``english``).

    ``mode`` and ``fusion`` are those of the searches. ``embedding`` is a model, the name of one, or
    ``precomputed:NAME`` for the vectors in the dataset's folder (``vectors-NAME.npz``); these are of whole documents,
    so that ``chunker`` is ``whole`` then. Queries without one are left out where the vector leg runs, and the report
    counts them.

    A document ranks by its best chunk; where documents have several, up to 1,000 chunks are fetched for a case. The
    milliseconds of a case are those of its searches through the facade, one after another, on this host. ``access``
    is who asks, by default a member of the library's tenant without any group. ``progress`` hears of the ingest's
    stages and of stage ``search``.

    The report's ``warnings`` say what makes its figures say little: relevant documents that the corpus lacks, a
    library in which nothing is readable, or one of other documents.

    Raises ``NotFound`` when ``library`` does not exist; ``ConfigurationError`` when it is empty, holds fewer documents
    than the dataset or has another profile, when the corpus lacks every relevant document, k is not 1 to 1,000, no
    query is left, ``keep`` is asked of a library that is not scratch, or without the extra ``evaluate``; else as
    ``ingest`` and ``search`` do.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise ConfigurationError(f"k is a whole number from 1 to {MAX_K}")
    if keep and library is not None:
        raise ConfigurationError("keep is of a scratch library: a library of yours stays anyway", argument="keep")
    check_installed()  # before the work, not after it
    mode = make_retrieval_mode(spine.config.retrieval_mode if mode is None else mode)
    economy = mode is RetrievalMode.ECONOMY
    chosen = Choice(spine, dataset, chunker, analyzer, embedding, profile, economy=economy)
    cases = chosen.cases(dataset, economy=economy)
    corpus = _Corpus.of(dataset, cases)
    place = chosen.scratch(dataset, keep) if library is None else library
    asked = _Asked(Access(place.tenant, {TENANT}) if access is None else access, mode, fusion, k)
    if library is None and not keep:
        try:
            return _evaluated(dataset, cases, corpus, place, chosen, asked, progress)
        finally:
            with contextlib.suppress(NotFound):  # it was not made yet
                place.drop()
    if library is not None:
        _require_filled(library, corpus)
    return _evaluated(dataset, cases, corpus, place, chosen, asked, progress)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What all searches have in common."""

    access: Access
    mode: RetrievalMode
    fusion: Fusion | str | Mapping[str, Any] | None
    k: int


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The ids of a dataset's documents, how many of them have text, and what is wrong with its grades."""

    ids: frozenset[str]
    with_text: int
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset, cases: Sequence[Case]) -> "_Corpus":
        """Read the corpus. Raises ``ConfigurationError`` where it has none of the relevant documents."""
        ids: set[str] = set()
        with_text = 0
        for document in dataset.documents():
            ids.add(document.id)
            with_text += bool(document.title.strip() or document.text.strip())
        relevant = {document for case in cases for document, grade in case.grades.items() if grade > 0}
        lacking = len(relevant - ids)
        are = "is" if lacking == 1 else "are"
        said = f"{lacking:,} of {len(relevant):,} relevant documents of qrels.tsv {are} not in the corpus"
        if lacking == len(relevant):
            raise ConfigurationError(f"{said}: its ids are those of corpus.jsonl, letter by letter")
        return cls(frozenset(ids), with_text, (said,) if lacking else ())


def _require_filled(library: Library, corpus: _Corpus) -> None:
    name = f"{library.tenant}/{library.library_id}"
    ids = {"tenant": library.tenant, "library": library.library_id}
    leave = "leave library out to evaluate in a scratch library"
    try:
        held = library.stats().documents
    except NotFound:
        raise NotFound(f"there is no library {name}: fill one before, or {leave}", **ids) from None
    if held == 0:
        raise ConfigurationError(f"{name} holds no document, and evaluating fills nothing of yours: {leave}", **ids)
    if held < corpus.with_text:
        raise ConfigurationError(
            f"{name} holds {held:,} documents and the dataset {corpus.with_text:,}: ingest the rest, or {leave}", **ids
        )


def _evaluated(
    dataset: Dataset,
    cases: Sequence[Case],
    corpus: _Corpus,
    place: Library,
    chosen: Choice,
    asked: _Asked,
    progress: OnProgress | None,
) -> EvaluationReport:
    meter = Meter(progress)
    stats = _filled(dataset, place, chosen, asked.mode, progress)
    warnings = list(corpus.warnings)
    version = next(found for found in place.versions() if found.state == "published")
    chosen.require(place, version)
    rankings: dict[str, list[str]] = {}
    seconds: list[float] = []
    spent = Usage()
    mode_run = ""
    several = stats.chunks > stats.documents
    for case in cases:
        started = time.perf_counter()
        rankings[case.query_id], result, used = _ranking(place, case, asked, several)
        seconds.append(time.perf_counter() - started)
        spent += used
        mode_run = result.mode
        if result.reason == "nothing_readable" and len(rankings) == 1:
            warnings.append("nothing in the library is readable for whom the queries are asked as")
        meter.report("search", len(rankings), len(cases))
    if any(rankings.values()) and corpus.ids.isdisjoint(found for ranking in rankings.values() for found in ranking):
        warnings.append("none of the documents found is in the corpus: the library holds others")
    values = measure(cases, rankings)
    return EvaluationReport(
        dataset=dataset.name,
        dataset_version=dataset.version,
        mode=mode_run,
        library=f"{place.tenant}/{place.library_id}",
        index_version=version.version,
        profile=json.loads(dump_json(version.profile)),
        documents=stats.documents,
        chunks=stats.chunks,
        cases=tuple(
            _case(case, rankings[case.query_id], values[case.query_id], spent_seconds)
            for case, spent_seconds in zip(cases, seconds, strict=True)
        ),
        left_out=len(dataset.cases) - len(cases),
        usage=spent,
        warnings=tuple(warnings),
    )


def _filled(
    dataset: Dataset, place: Library, chosen: Choice, mode: RetrievalMode, progress: OnProgress | None
) -> LibraryStats:
    """What the library holds, a scratch one filled first; one of the caller's holds documents when this is asked."""
    try:
        stats = place.stats()
    except NotFound:
        chosen.create(place, mode)
        stats = place.stats()
    if stats.documents == 0:
        # A custom chunker has no name to make it by again, so it goes along.
        cutter = None if isinstance(chosen.chunker, str) else chosen.chunker
        place.ingest(dataset.documents(), chunker=cutter, progress=progress)
        return place.stats()
    return stats


def _ranking(place: Library, case: Case, asked: _Asked, several: bool) -> tuple[list[str], SearchResult, Usage]:
    """The first k documents of a case, each by its best chunk; the last result, and what all searches cost."""
    used, fetched = Usage(), min(MAX_K, 4 * asked.k) if several else asked.k
    while True:
        result = place.search(
            plain_query(case.text), access=asked.access, k=fetched, mode=asked.mode, fusion=asked.fusion
        )
        used += result.usage
        documents = list(dict.fromkeys(hit.document_id for hit in result.hits))
        if len(documents) >= asked.k or len(result.hits) < fetched or fetched == MAX_K:
            return documents[: asked.k], result, used
        fetched = MAX_K


def _case(case: Case, ranking: list[str], values: Mapping[str, float], seconds: float) -> CaseResult:
    found = tuple(ranking[:SHOWN])
    return CaseResult(
        query_id=case.query_id,
        text=case.text,
        values=values,
        milliseconds=seconds * 1000,
        found=found,
        relevant={document: case.grades[document] for document in found if document in case.grades},
        judged_relevant=sum(1 for grade in case.grades.values() if grade > 0),
    )
