"""Whether the settings that name something name what there is; nothing is made or loaded."""

from collections.abc import Iterable
from importlib.metadata import entry_points

from ragspine_pg.chunking import registry as chunkers
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.contract.setting import variable
from ragspine_pg.doctor.check import Case, error, warning
from ragspine_pg.doctor.diagnosis import CheckResult, Finding
from ragspine_pg.doctor.installation import Installation
from ragspine_pg.embedding import registry as models
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest.library import check_analyzer
from ragspine_pg.retrieval.filtering import registry as extractors
from ragspine_pg.retrieval.rerank import registry as rerankers
from ragspine_pg.retrieval.routing import registry as routers
from ragspine_pg.retrieval.selector import NONE

_CALLABLE = "callable"  # made of a function, which no setting can hold

# Setting: what it names, our own names, and the entry points of others.
_NAMED: tuple[tuple[str, str, Iterable[str], str], ...] = (
    ("chunker", "chunker", chunkers.CHUNKERS, chunkers.ENTRY_POINT_GROUP),
    ("embedding", "embedding model", (NONE, *models.EMBEDDING_MODELS), models.ENTRY_POINT_GROUP),
    ("library_router", "library router", (NONE, *routers.LIBRARY_ROUTERS), routers.ENTRY_POINT_GROUP),
    ("filter_extractor", "filter extractor", (NONE, *extractors.FILTER_EXTRACTORS), extractors.ENTRY_POINT_GROUP),
    ("reranker", "reranker", (NONE, *rerankers.RERANKERS), rerankers.ENTRY_POINT_GROUP),
)


def names(installation: Installation) -> CheckResult:
    """Chunker, model and seams by the lists of their factories, and a key that the embedded server leaves aside."""
    findings: list[Finding] = []
    for setting, kind, ours, group in _NAMED:
        name = getattr(installation.config, setting)
        known = [own for own in ours if own != _CALLABLE]
        known += sorted(entry_points(group=group).names - set(known))
        if name not in known:
            fix = f"set {variable(setting)} to one of {', '.join(known)}, or install the package that offers it"
            findings.append(error(f"setting {setting}: no {kind} is called {name!a}", fix))
    findings += _key_left_aside(installation)
    return CheckResult("names", "every setting names something that there is", tuple(findings))


def _key_left_aside(installation: Installation) -> list[Finding]:
    text = installation.config.secret("grant_key")
    if text is None or installation.server is None:
        return []
    unset = f"unset {variable('grant_key')}, or name the database it belongs to by {variable('database_url')}"
    try:
        key = GrantKey.parse(text).text
    except ConfigurationError as failure:
        return [error(f"setting grant_key: {failure}", unset)]
    if installation.server.grant_key in (None, key):
        return []
    return [warning("setting grant_key has no effect: the embedded server signs with the key in its own folder", unset)]


def analyzer(case: Case) -> Flow[list[Finding]]:
    """The analyzer of a library that names none is known to the database."""
    try:
        yield from check_analyzer(case.installation.config.analyzer)
    except ConfigurationError as failure:
        return [error(f"setting analyzer: {failure}", f"set {variable('analyzer')} to one of those")]
    return []
