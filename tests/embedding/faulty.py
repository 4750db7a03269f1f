"""A model whose every answer is the hashing model's, but for the fault that is planted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding.hashing import HashingModel


class Faulty:
    """Embeds well, then hands the vectors to ``fault``, which changes them or gives back what is to be returned."""

    name = "faulty"
    options: Mapping[str, Any] = {}

    def __init__(
        self, fault: Callable[[list[Any]], Any] = lambda vectors: None, *, remote: bool = False, **limits: int
    ) -> None:
        self._model, self._fault = HashingModel(16), fault
        self.remote, self.space = remote, self._model.space
        self.limits = EmbeddingLimits(**limits)
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        self.calls.append(list(texts))
        embedded = self._model.embed(texts, task, deadline=deadline)
        vectors: list[Any] = list(embedded.vectors)
        other = self._fault(vectors)
        if isinstance(other, Embedded) or (other is not None and not isinstance(other, list)):
            return other  # type: ignore[no-any-return]
        return Embedded(vectors if other is None else other, embedded.usage)
