"""The chunker and the embedding model that a version's profile names."""

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.ingest.target import Target


def profile_model(target: Target, models: KnownModels) -> EmbeddingModel | None:
    """The model of the version's space, None without one. Raises ``ConfigurationError`` where it is not at hand."""
    profile = target.profile.get("embedding")
    return None if profile is None else models.find(profile)


def profile_chunker(target: Target, chunker: Chunker | None) -> Chunker:
    """The chunker that cuts the version, made by its name unless it is handed in.

    Raises ``ConfigurationError`` for another one than the version's.
    """
    profile = target.profile["chunker"]
    made = make_chunker(chunker) if chunker is not None else make_chunker(profile["name"], **profile["options"])
    if made.fingerprint != profile["fingerprint"]:
        raise ConfigurationError(
            f"{target.tenant}/{target.library_id} is cut by chunker {profile['fingerprint']!r}, and this one is "
            f"{made.fingerprint!r}: rebuild the library, or hand in the chunker it was made with",
            tenant=target.tenant,
            library=target.library_id,
        )
    return made
