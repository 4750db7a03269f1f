"""What a library is made with where the call does not say."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.ingest import Statistics, VersionInfo
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.contract.setting import set_by
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import pipeline
from ragspine_pg.ingest.difference import Path
from ragspine_pg.ingest.library import options_of


@dataclass(frozen=True, slots=True)
class LibraryDefaults:
    """An ingestor's own analyzer, chunker and embedding, and where it keeps the models it was handed."""

    analyzer: str = "english"
    chunker: str | Chunker = "default"
    embedding: str | EmbeddingModel = "none"
    models: KnownModels = field(default_factory=KnownModels)

    def create(
        self,
        tenant: str,
        library_id: str,
        *,
        description: str,
        analyzer: str | None,
        chunker: str | Chunker | None,
        embedding: str | EmbeddingModel | None,
        statistics: Statistics | None,
        fields: Mapping[str, str] | Iterable[tuple[str, str]] | None,
        profile: Mapping[str, Any] | None,
        exist_ok: bool,
    ) -> Flow[VersionInfo]:
        """See ``Ingestor.create_library``."""
        options, chunker_options, embedding_options = options_of(profile)
        # Where options are given, it is these that do not fit.
        with set_by("chunker") if chunker is None and not chunker_options else nullcontext():
            made = make_chunker(self.chunker if chunker is None else chunker, **chunker_options)
        with set_by("embedding") if embedding is None and not embedding_options else nullcontext():
            model = make_embedding_model(self.embedding if embedding is None else embedding, **embedding_options)
        if model is not None:
            self.models.keep(model)
        return (
            yield from pipeline.create_library(
                tenant,
                library_id,
                chunker=made,
                chunker_options=chunker_options,
                description=description,
                analyzer=self.analyzer if analyzer is None else analyzer,
                embedding=model,
                statistics="class" if statistics is None else statistics,
                named=[
                    *(() if analyzer is None else [("analyzer",)]),
                    *_named("chunker", chunker, chunker_options),
                    *_named("embedding", embedding, embedding_options),
                    *(() if statistics is None else [("statistics",)]),
                ],
                fields=fields,
                profile=options,
                exist_ok=exist_ok,
            )
        )


def _named(part: str, given: object, options: Mapping[str, Any]) -> Iterator[Path]:
    """What a call says of a chunker or model: a name says nothing of its options, an object says everything."""
    if given is not None:
        yield (part, "name") if isinstance(given, str) else (part,)
    for option in options:
        yield (part, "options", option)
