"""What a model that is not ours says of its failure, in our words: its own may quote a text, whatever their class."""

from typing import Final

from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.errors import (
    BudgetExceeded,
    Cancelled,
    DeadlineExceeded,
    EmbeddingError,
    EmbeddingRejected,
    EmbeddingUnavailable,
    InvalidEmbeddingInput,
    RagSpineError,
)

_PACKAGE: Final = __name__.partition(".")[0]
_KINDS: Final[tuple[type[RagSpineError], ...]] = (
    BudgetExceeded,
    Cancelled,
    DeadlineExceeded,
    EmbeddingRejected,
    EmbeddingUnavailable,
    InvalidEmbeddingInput,
)
_NUMBERS: Final = ("attempts", "position")


def in_our_words(model: EmbeddingModel, error: Exception) -> RagSpineError:
    """The error to raise for what ``model`` raised: itself where the model is a class of this package.

    Another model's keeps its kind, for a caller acts on that (what is no kind of ours is an ``EmbeddingError``), and of
    its ids those that are numbers of ours.
    """
    if isinstance(error, RagSpineError) and type(model).__module__.partition(".")[0] == _PACKAGE:
        return error
    kind: type[RagSpineError] = next((kind for kind in _KINDS if isinstance(error, kind)), EmbeddingError)
    ids = getattr(error, "ids", None)
    numbers = {name: ids.get(name) for name in _NUMBERS} if isinstance(ids, dict) else {}
    called = kind.__name__ if isinstance(error, RagSpineError) else type(error).__name__
    return kind(
        f"embedding model {model.name!r} failed with {called}",
        **{name: number for name, number in numbers.items() if type(number) is int},
    )
