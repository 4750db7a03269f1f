"""Runs a dataset against a library."""

import contextlib
import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.client.library import Library
from ragspine_pg.client.spine import RagSpine
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.ingest import LibraryStats, VersionInfo
from ragspine_pg.contract.metadata import dump_json, load_json
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import MAX_K
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError, NotFound
from ragspine_pg.evaluation.dataset import Case, Dataset
from ragspine_pg.evaluation.measures import check_installed, measure
from ragspine_pg.evaluation.report import CaseResult, EvaluationReport
from ragspine_pg.ingest.library import complete_profile
from ragspine_pg.ingest.progress import Meter, OnProgress

TENANT = "evaluation"
"""The tenant of scratch libraries, and the principal that searches where no ``access`` is given."""

SHOWN = 10
"""How many of the documents found a report keeps for each case."""


def evaluate(
    spine: RagSpine,
    dataset: Dataset,
    *,
    library: Library | None = None,
    access: Access | None = None,
    mode: RetrievalMode | str | None = None,
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
    profiles never mix, and the next run that keeps uses it again. A ``library`` that
    is missing or empty is filled; one that holds documents is evaluated as it is, nothing of it is written, and
    ``chunker``, ``analyzer`` and ``profile`` must then be its own. ``analyzer`` is never guessed from the texts:
    without one it is that of the configuration (``english``).

    A document ranks by its best chunk; where documents have several, up to 1,000 chunks are fetched for a case. The
    milliseconds of a case are those of its searches through the facade, one after another, on this host. ``access``
    is who asks, by default a member of the library's tenant without any group. ``progress`` hears of the ingest's
    stages and of stage ``search``.

    Raises ``ConfigurationError`` when the library holds fewer documents than the dataset or has another profile, when
    k is not 1 to 1,000, or without the extra ``evaluate``; else as ``ingest`` and ``search`` do.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise ConfigurationError(f"k is a whole number from 1 to {MAX_K}")
    check_installed()  # before the work, not after it
    meter = Meter(progress)
    chosen = _Choice(spine, chunker, analyzer, profile)
    place = chosen.scratch(dataset, keep) if library is None else library
    if library is None and not keep:
        try:
            return _evaluated(spine, dataset, place, chosen, access, mode, k, meter, progress)
        finally:
            with contextlib.suppress(NotFound):  # it was not made yet
                place.drop()
    return _evaluated(spine, dataset, place, chosen, access, mode, k, meter, progress)


def _evaluated(
    spine: RagSpine,
    dataset: Dataset,
    place: Library,
    chosen: "_Choice",
    access: Access | None,
    mode: RetrievalMode | str | None,
    k: int,
    meter: Meter,
    progress: OnProgress | None,
) -> EvaluationReport:
    stats = _filled(spine, dataset, place, chosen, progress)
    version = next(found for found in place.versions() if found.state == "published")
    chosen.require(place, version)
    asking = Access(place.tenant, {TENANT}) if access is None else access
    rankings: dict[str, list[str]] = {}
    seconds: list[float] = []
    spent = Usage()
    mode_run = ""
    several = stats.chunks > stats.documents
    for case in dataset.cases:
        started = time.perf_counter()
        rankings[case.query_id], result, used = _ranking(place, case, asking, mode, k, several)
        seconds.append(time.perf_counter() - started)
        spent = _sum(spent, used)
        mode_run = result.mode
        meter.report("search", len(rankings), len(dataset.cases))
    values = measure(dataset.cases, rankings)
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
            for case, spent_seconds in zip(dataset.cases, seconds, strict=True)
        ),
        usage=spent,
    )


class _Choice:
    """What the caller chose of a profile, and what it comes to when the rest is default."""

    def __init__(
        self,
        spine: RagSpine,
        chunker: str | Chunker | None,
        analyzer: str | None,
        profile: Mapping[str, Any] | None,
    ) -> None:
        self._spine = spine
        self._given = {"chunker": chunker, "analyzer": analyzer, **(profile or {})}
        self.chunker = spine.config.chunker if chunker is None else chunker
        self.analyzer = spine.config.analyzer if analyzer is None else analyzer
        self.profile = dict(profile or {})

    @property
    def complete(self) -> dict[str, Any]:
        """The whole profile of a library that is made by this choice."""
        rest = dict(self.profile)
        options = rest.pop("chunker_options", {})
        return complete_profile(self.analyzer, make_chunker(self.chunker, **options), options, rest)

    def scratch(self, dataset: Dataset, keep: bool) -> Library:
        """The scratch library of a dataset under this choice, not there yet; one to keep may be there."""
        written = hashlib.sha256(dump_json(self.complete).encode()).hexdigest()
        name = f"{dataset.name}-{dataset.version[:12]}-{written[:12]}"
        # One that goes again has a name of its own: two runs at once must not drop each other's.
        return self._spine.library(TENANT, name if keep else f"{name}-{secrets.token_hex(4)}")

    def create(self, place: Library) -> None:
        """Make an empty library by this choice."""
        self._spine.create_library(
            place.tenant, place.library_id, chunker=self.chunker, analyzer=self.analyzer, profile=self.profile
        )

    def require(self, place: Library, version: VersionInfo) -> None:
        """Raise ``ConfigurationError`` where a library's profile is not what was chosen explicitly."""
        own, complete = dict(version.profile), load_json(dump_json(self.complete))
        own["chunker_options"], complete["chunker_options"] = own["chunker"], complete["chunker"]
        other = sorted(name for name, value in self._given.items() if value is not None and own[name] != complete[name])
        if other:
            raise ConfigurationError(
                f"{place.tenant}/{place.library_id} was made with another {', '.join(other)}; leave that out to"
                " evaluate it as it is",
                tenant=place.tenant,
                library=place.library_id,
            )


def _filled(
    spine: RagSpine, dataset: Dataset, place: Library, chosen: _Choice, progress: OnProgress | None
) -> LibraryStats:
    try:
        stats = place.stats()
    except NotFound:
        chosen.create(place)
        stats = place.stats()
    if stats.documents == 0:
        # A custom chunker has no name to make it by again, so it goes along.
        cutter = None if isinstance(chosen.chunker, str) else chosen.chunker
        place.ingest(dataset.documents(), chunker=cutter, progress=progress)
        return place.stats()
    expected = sum(1 for document in dataset.documents() if document.title.strip() or document.text.strip())
    if stats.documents < expected:
        raise ConfigurationError(
            f"{place.tenant}/{place.library_id} holds {stats.documents} documents and the dataset {expected}: name an"
            " empty library, or none",
            tenant=place.tenant,
            library=place.library_id,
        )
    return stats


def _ranking(
    place: Library, case: Case, access: Access, mode: RetrievalMode | str | None, k: int, several: bool
) -> tuple[list[str], SearchResult, Usage]:
    """The first k documents of a case, each by its best chunk; the last result, and what all searches cost."""
    fetched = min(MAX_K, 4 * k) if several else k
    result = place.search(case.text, access=access, k=fetched, mode=mode)
    used = result.usage
    documents = list(dict.fromkeys(hit.document_id for hit in result.hits))
    if len(documents) < k and len(result.hits) == fetched < MAX_K:
        result = place.search(case.text, access=access, k=MAX_K, mode=mode)
        used = _sum(used, result.usage)
        documents = list(dict.fromkeys(hit.document_id for hit in result.hits))
    return documents[:k], result, used


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


def _sum(one: Usage, other: Usage) -> Usage:
    return replace(
        one,
        items=one.items + other.items,
        tokens=one.tokens + other.tokens,
        calls=one.calls + other.calls,
        seconds=one.seconds + other.seconds,
    )
