"""The extractor ``controlled_vocab``: words of the query that a vocabulary knows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ragspine_pg.contract.condition import FilterCondition
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.retrieval.filtering.term import find_terms, fold_term
from ragspine_pg.retrieval.filtering.vocabulary import read_vocabulary


class ControlledVocabFilterExtractor:
    """Turns the terms of ``vocabulary`` that stand in a query into a filter; see ``read_vocabulary`` for its form.

    Terms and query are folded (NFKC, case). The longest term wins where several meet, and words end where their script
    ends them: ``go`` stands in 部署go服务, ``ios`` in iOS版, and neither in ``golang`` or ``kiosk``. Values of one
    field are OR-ed (``in``), fields AND-ed. It knows no grammar: "not iOS" asks for iOS.

    Deterministic and offline. Raises ``ConfigurationError`` as ``read_vocabulary`` does.
    """

    name: Final = "controlled_vocab"

    def __init__(self, vocabulary: Mapping[str, Any] | str | Path) -> None:
        self._terms = read_vocabulary(vocabulary)

    def extract(self, query: str) -> MetadataFilter | None:
        """The filter that the query's words ask for, or None."""
        asked = {entry for _, term in find_terms(fold_term(query), self._terms) for entry in self._terms[term]}
        values: dict[str, list[Any]] = {}
        for entry in sorted(asked, key=lambda entry: (entry.field_place, entry.value_place)):
            values.setdefault(entry.field, []).append(entry.value)
        if not values:
            return None
        return MetadataFilter.all_of(
            *(
                FilterCondition(field, "eq", of_field[0])
                if len(of_field) == 1
                else FilterCondition(field, "in", of_field)
                for field, of_field in values.items()
            )
        )
