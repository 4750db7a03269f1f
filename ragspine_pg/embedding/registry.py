"""Embedding models by name."""

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from ragspine_pg.contract.option import require_options
from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.errors import ConfigurationError

ENTRY_POINT_GROUP: Final = "ragspine_pg.embedding"
"""Where other distributions name theirs: an entry point whose object makes an ``EmbeddingModel`` of its options."""

NONE: Final = "none"

EMBEDDING_MODELS: dict[str, str] = {
    "hashing": "ragspine_pg.embedding.hashing:HashingModel",
    "local": "ragspine_pg.embedding.local:LocalModel",
    "openai": "ragspine_pg.embedding.openai:OpenAIModel",
    "sentence_transformers": "ragspine_pg.embedding.sentence_transformers:SentenceTransformersModel",
}
"""Our own models by name: where each is, imported when it is made. ``none`` is no model."""


def make_embedding_model(name: str | EmbeddingModel | None = None, **options: Any) -> EmbeddingModel | None:
    """The model of that name made with ``options``, the model handed in, or None for None and ``"none"``.

    Our own names come first, then entry points of group ``ragspine_pg.embedding``. Raises ``ConfigurationError`` for an
    unknown name (it lists the known ones), an option the model does not have or cannot use, a package that is not
    installed (it names the extra), or what is no ``EmbeddingModel``.
    """
    if not isinstance(name, str):
        if options:
            raise ConfigurationError("options go with an embedding model's name; one that is made keeps its own")
        if name is not None and not isinstance(name, EmbeddingModel):
            raise ConfigurationError(
                "an embedding model is a name or an object with name, options, space, remote and embed"
            )
        return name
    if name == NONE:
        if options:
            raise ConfigurationError(f"no embedding model takes no options, such as: {', '.join(options)}")
        return None
    factory = _find_factory(name)
    require_options(f"embedding model {name!r}", factory, options, embedding=name)
    made = factory(**options)
    if not isinstance(made, EmbeddingModel):
        raise ConfigurationError(f"what entry point {name!r} made is no embedding model", embedding=name)
    return made


def _find_factory(name: str) -> Any:
    if not name.strip():
        raise ConfigurationError("the name of an embedding model is blank")
    if name in EMBEDDING_MODELS:
        module, _, attribute = EMBEDDING_MODELS[name].partition(":")
        return getattr(import_module(module), attribute)
    offered = entry_points(group=ENTRY_POINT_GROUP)
    if name not in offered.names:
        known = ", ".join([NONE, *EMBEDDING_MODELS, *sorted(offered.names - EMBEDDING_MODELS.keys() - {NONE})])
        raise ConfigurationError(f"no embedding model is called {name!r}; there are: {known}", embedding=name)
    return offered[name].load()
