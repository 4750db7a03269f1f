"""What a run chooses of a library's profile, and the library that is made by it."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any, Final

from ragspine_pg.chunking.general import WholeChunker
from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.client.library import Library
from ragspine_pg.client.spine import RagSpine
from ragspine_pg.contract.ingest import VersionInfo
from ragspine_pg.contract.metadata import dump_json, load_json
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.evaluation.dataset import Case, Dataset
from ragspine_pg.evaluation.precomputed import PREFIX, PrecomputedModel
from ragspine_pg.ingest.library import complete_profile, options_of

TENANT: Final = "evaluation"
"""The tenant of scratch libraries, and the principal that searches where no ``access`` is given."""


class Choice:
    """What the caller chose of a profile, and what it comes to when the rest is default."""

    def __init__(
        self,
        spine: RagSpine,
        dataset: Dataset,
        chunker: str | Chunker | None,
        analyzer: str | None,
        embedding: str | EmbeddingModel | None,
        profile: Mapping[str, Any] | None,
        *,
        economy: bool,
    ) -> None:
        """``economy``: no vector is searched, so that the settings' model embeds nothing for it."""
        self._spine = spine
        self._given = {"chunker": chunker, "analyzer": analyzer, "embedding": embedding, **(profile or {})}
        self.profile, self._chunker_options, embedding_options = options_of(profile)
        named: str | EmbeddingModel = spine.config.embedding if embedding is None else embedding
        if economy and embedding is None and not embedding_options:
            named = "none"
        self.model: EmbeddingModel | None
        if isinstance(named, str) and named.startswith(PREFIX) and not embedding_options:
            self.model = PrecomputedModel(dataset, named.removeprefix(PREFIX))
        else:
            self.model = make_embedding_model(named, **embedding_options)
        self._precomputed = self.model if isinstance(self.model, PrecomputedModel) else None
        if self._precomputed is not None:
            if chunker not in (None, WholeChunker.name):
                raise ConfigurationError("precomputed vectors are of whole documents: leave the chunker out")
            chunker = WholeChunker.name
        if self.model is not None:
            spine._models.known.keep(self.model)  # for a library that an earlier run made and kept
        self.chunker = spine.config.chunker if chunker is None else chunker
        self.analyzer = spine.config.analyzer if analyzer is None else analyzer

    def cases(self, dataset: Dataset, *, economy: bool) -> tuple[Case, ...]:
        """The cases to search. Raises ``ConfigurationError`` when none is left."""
        if self._precomputed is None or economy:
            return dataset.cases
        found = tuple(filter(self._precomputed.knows, dataset.cases))
        if not found:
            raise ConfigurationError(f"no query of {dataset.name} has one of the precomputed vectors")
        return found

    @property
    def complete(self) -> dict[str, Any]:
        """The whole profile of a library that is made by this choice."""
        options = self._chunker_options
        chunker = make_chunker(self.chunker, **options)
        return complete_profile(self.analyzer, chunker, options, self.profile, self.model)

    def scratch(self, dataset: Dataset, keep: bool) -> Library:
        """The scratch library of a dataset under this choice, not there yet; one to keep may be there."""
        written = hashlib.sha256(dump_json(self.complete).encode()).hexdigest()
        name = f"{dataset.name}-{dataset.version[:12]}-{written[:12]}"
        # One that goes again has a name of its own: two runs at once must not drop each other's.
        return self._spine.library(TENANT, name if keep else f"{name}-{secrets.token_hex(4)}")

    def create(self, place: Library, mode: RetrievalMode) -> None:
        """Make an empty library by this choice, to be searched in ``mode``. Raises ``ConfigurationError``."""
        if self.model is None and mode in (RetrievalMode.VECTOR, RetrievalMode.HYBRID):
            raise ConfigurationError(
                f"mode {mode} searches by vectors, and nothing makes them: name a model, such as embedding='hashing'",
                argument="embedding",
            )
        self._spine.create_library(
            place.tenant,
            place.library_id,
            chunker=self.chunker,
            analyzer=self.analyzer,
            embedding="none" if self.model is None else self.model,
            profile={**self.profile, "chunker_options": self._chunker_options},
        )

    def require(self, place: Library, version: VersionInfo) -> None:
        """Raise ``ConfigurationError`` where a library's profile is not what was chosen explicitly."""
        own, complete = dict(version.profile), load_json(dump_json(self.complete))
        for options, of in (("chunker_options", "chunker"), ("embedding_options", "embedding")):
            own[options], complete[options] = own.get(of), complete.get(of)
        given = (name for name, value in self._given.items() if value is not None)
        other = sorted(name for name in given if own.get(name) != complete.get(name))
        if other:
            raise ConfigurationError(
                f"{place.tenant}/{place.library_id} was made with another {', '.join(other)}; leave that out to"
                " evaluate it as it is",
                tenant=place.tenant,
                library=place.library_id,
            )
