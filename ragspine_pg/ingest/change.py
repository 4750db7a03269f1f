"""The profile of a rebuild: what the published version's is, with what the caller changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.ingest import Statistics
from ragspine_pg.contract.metadata import dump_json, load_json
from ragspine_pg.contract.name import require_name
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.ingest.library import complete_profile, default_pivot, mapping_of
from ragspine_pg.ingest.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChanges:
    """What a rebuild is to change; None leaves a thing as it is. ``embedding="none"`` does without vectors."""

    analyzer: str | None = None
    chunker: str | Chunker | None = None
    chunker_options: Mapping[str, Any] | None = None
    embedding: str | EmbeddingModel | None = None
    embedding_options: Mapping[str, Any] | None = None
    statistics: Statistics | None = None
    k1: float | None = None
    b: float | None = None
    pivot: float | str | None = None
    title_weight: int | None = None
    fusion: str | Mapping[str, Any] | None = None
    embed_confidential: bool | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What is to change of BM25, fusion and embedding, by the names that a profile has for it."""
        named = ("k1", "b", "pivot", "title_weight", "fusion", "embed_confidential")
        return {name: value for name in named if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The profile of a new version, as it would be read back, and what fills it."""

    profile: Mapping[str, Any]
    chunker: Chunker
    model: EmbeddingModel | None


def changed_profile(target: Target, changes: ProfileChanges, models: KnownModels) -> Wanted:
    """The whole profile; models that are made or handed in are kept in ``models``.

    A pivot that was left to its default follows analyzer and chunker. Raises ``ConfigurationError``.
    """
    old = target.profile
    analyzer = old["analyzer"] if changes.analyzer is None else changes.analyzer
    require_name("analyzer", analyzer, ConfigurationError)
    chunker, options = _chunker(old["chunker"], changes)
    model = _model(old.get("embedding"), changes, models)
    kept = {name: old[name] for name in ("k1", "b", "pivot", "title_weight", "embed_confidential") if name in old}
    if "pivot" not in changes.settings and _is_default_pivot(old):
        del kept["pivot"]
    statistics = old["statistics"] if changes.statistics is None else changes.statistics
    written = complete_profile(analyzer, chunker, options, kept | changes.settings, model, statistics)
    if "fusion" in old and "fusion" not in changes.settings:
        written["fusion"] = old["fusion"]
    return Wanted(load_json(dump_json(written)), chunker, model)


def _chunker(old: Mapping[str, Any], changes: ProfileChanges) -> tuple[Chunker, Mapping[str, Any]]:
    options = _options("chunker_options", changes.chunker_options)
    if changes.chunker is not None:
        return make_chunker(changes.chunker, **(options or {})), options or {}
    options = old["options"] if options is None else options
    return make_chunker(old["name"], **options), options


def _model(old: Mapping[str, Any] | None, changes: ProfileChanges, models: KnownModels) -> EmbeddingModel | None:
    options = _options("embedding_options", changes.embedding_options)
    if changes.embedding is not None:
        made = make_embedding_model(changes.embedding, **(options or {}))
    elif old is None:
        if options is not None:
            raise ConfigurationError("embedding_options go with an embedding, and the library has none: name one too")
        return None
    elif options is not None:
        made = make_embedding_model(old["name"], **options)
    else:
        try:
            return models.find(old)
        except ConfigurationError:
            # Its weights, or our code, are others by now: to embed anew is what a rebuild is for.
            made = make_embedding_model(old["name"], **old["options"])
    if made is not None:
        models.keep(made)
    return made


def _options(argument: str, value: Any) -> dict[str, Any] | None:
    return None if value is None else mapping_of(argument, value)


def _is_default_pivot(profile: Mapping[str, Any]) -> bool:
    chunker = profile["chunker"]
    try:
        made = make_chunker(chunker["name"], **chunker["options"])
    except ConfigurationError:
        return False  # an application's own, which nobody handed in
    return profile["pivot"] != "measured" and float(profile["pivot"]) == default_pivot(profile["analyzer"], made)
