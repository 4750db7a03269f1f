"""A controlled vocabulary: which words of a query stand for which value of which metadata field."""

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from ragspine_pg.contract.condition import FilterCondition
from ragspine_pg.errors import ConfigurationError, InvalidFilter
from ragspine_pg.retrieval.filtering.term import fold_term

MAX_VOCABULARY_BYTES = 64 * 1024 * 1024


class Entry(NamedTuple):
    """What a term stands for, with the places of field and value in the vocabulary."""

    field_place: int
    value_place: int
    field: str
    value: Any


def read_vocabulary(source: Mapping[str, Any] | str | Path) -> dict[str, list[Entry]]:
    """Folded term → what it stands for.

    ``source`` maps a field to its values, each its own term (``["de", "fr"]``), or to a mapping from value to terms
    (``{"ios": ["iOS", "iPhone OS"]}``), or to a list of ``{"value": 2024, "terms": ["2024", "last year"]}`` for values
    that are no strings; a path is that of a JSON file of the same form.

    Raises ``ConfigurationError`` naming the field for a vocabulary of another form, a blank term, values of several
    types in one field, or a term that stands for values of two fields: which one is meant nobody could say.
    """
    terms: dict[str, list[Entry]] = {}
    plain = source if isinstance(source, Mapping) else _load(Path(source))
    for field_place, (field, values) in enumerate(plain.items()):
        pairs = list(_pairs(field, values))
        try:
            FilterCondition(field, "in", [value for value, _ in pairs])
        except InvalidFilter as error:
            raise ConfigurationError(f"in the vocabulary: {error}") from None
        for value_place, (value, words) in enumerate(pairs):
            for word in words:
                entries = terms.setdefault(_fold(field, word), [])
                if entries and entries[0].field != field:
                    raise ConfigurationError(
                        f"a term of the vocabulary stands for values of two fields, {entries[0].field!r} and {field!r}"
                    )
                entries.append(Entry(field_place, value_place, field, value))
    return terms


def _load(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > MAX_VOCABULARY_BYTES:
            raise ConfigurationError(f"the vocabulary {path} has more than {MAX_VOCABULARY_BYTES} bytes")
        read = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"cannot read the vocabulary {path} ({type(error).__name__})") from None
    if not isinstance(read, dict):
        raise ConfigurationError(f"the vocabulary {path} is no JSON object")
    return read


def _pairs(field: str, values: Any) -> Iterator[tuple[Any, list[str]]]:
    if isinstance(values, Mapping):
        for value, words in values.items():
            yield value, _words(field, words)
        return
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ConfigurationError(f"the vocabulary of field {field!r} is a list of values, or maps values to terms")
    for item in values:
        if isinstance(item, str):
            yield item, [item]
        elif isinstance(item, Mapping) and item.keys() == {"value", "terms"}:
            yield item["value"], _words(field, item["terms"])
        else:
            raise ConfigurationError(f"a value of field {field!r} is a string, or has value and terms")


def _words(field: str, words: Any) -> list[str]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ConfigurationError(f"the terms of a value of field {field!r} are a list of strings")
    return list(words)


def _fold(field: str, word: Any) -> str:
    folded = fold_term(word).strip() if isinstance(word, str) else ""
    if not folded:
        raise ConfigurationError(f"a term of field {field!r} is blank, or no string")
    return folded
