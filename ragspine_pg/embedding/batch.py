"""How many texts go to a model at once."""

from collections.abc import Sequence

from ragspine_pg.contract.embedded import EmbeddingLimits


def plan_batches(texts: Sequence[str], limits: EmbeddingLimits) -> list[range]:
    """Consecutive spans of positions that cover ``texts``, each within the limits (a longer text goes alone)."""
    spans: list[range] = []
    start = characters = 0
    for position, text in enumerate(texts):
        full = position - start >= limits.items or characters + len(text) > limits.characters
        if full and position > start:
            spans.append(range(start, position))
            start, characters = position, 0
        characters += len(text)
    if start < len(texts):
        spans.append(range(start, len(texts)))
    return spans
