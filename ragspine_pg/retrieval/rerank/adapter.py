"""A reranker made of a function, such as one that runs a cross-encoder."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.judgement import Judgement
from ragspine_pg.errors import ConfigurationError


class CallableReranker:
    """Lets ``score(query, texts)`` give a number a text, in their order, larger for what answers the query better.

    ``remote`` says whether the function sends texts to somebody else's service; without a word it counts as one that
    does. Raises ``ConfigurationError`` for what cannot be called.
    """

    name: Final = "callable"

    def __init__(self, score: Callable[[str, Sequence[str]], Iterable[float]], *, remote: bool = True) -> None:
        if not callable(score):
            raise ConfigurationError("score is a function of the query and the texts")
        if type(remote) is not bool:
            raise ConfigurationError("remote is true or false")
        self._score = score
        self.remote = remote

    def rerank(self, query: str, texts: Sequence[str], *, deadline: Deadline | None = None) -> Iterable[Judgement]:
        """One judgement a number."""
        return (Judgement(index, score) for index, score in enumerate(self._score(query, texts)))
