"""Terms of a vocabulary in queries of several scripts, and vocabularies that cannot be meant."""

import json
import re
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ragspine_pg import MetadataFilter
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.retrieval.filtering import ControlledVocabFilterExtractor, make_filter_extractor
from ragspine_pg.retrieval.filtering.term import find_terms, fold_term

VOCABULARY: dict[str, Any] = {
    "platform": {"ios": ["iOS", "iPhone OS"], "android": ["Android"], "go": ["go"], "c++": ["C++"], "c": ["C"]},
    "region": ["New York", "York", "北京", "東京", "서울", "ไทย"],
    "year": [{"value": 2024, "terms": ["2024", "last year"]}, {"value": Decimal("0.5"), "terms": ["half"]}],
    "draft": [{"value": True, "terms": ["draft", "entwurf", "STRASSE"]}],
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how do I return it", {}),
        ("on iOS", {"platform": ["ios"]}),
        ("iOS版の設定", {"platform": ["ios"]}),
        ("部署go服务", {"platform": ["go"]}),
        ("部署golang服务", {}),
        ("golang or ergo", {}),
        ("go-service, go.", {"platform": ["go"]}),
        ("go_service", {}),
        ("go2", {}),
        ("ｉＯＳ and ANDROID", {"platform": ["ios", "android"]}),
        ("Android, iOS", {"platform": ["ios", "android"]}),
        ("iphone \n os", {"platform": ["ios"]}),
        ("kiosk", {}),
        ("in C++", {"platform": ["c++"]}),
        ("in C or C++", {"platform": ["c++", "c"]}),
        ("New York", {"region": ["New York"]}),
        ("York and New York", {"region": ["New York", "York"]}),
        ("我在北京退货", {"region": ["北京"]}),
        ("東京都", {"region": ["東京"]}),
        ("서울에서", {"region": ["서울"]}),
        ("ประเทศไทยและ", {"region": ["ไทย"]}),
        ("last year in New York on Android", {"platform": ["android"], "region": ["New York"], "year": [2024]}),
        ("2024年", {"year": [2024]}),
        ("12024", {}),
        ("２０２４", {"year": [2024]}),
        ("half a draft", {"year": [Decimal("0.5")], "draft": [True]}),
        ("Straße", {"draft": [True]}),
        ("iOS\u0301", {}),
        ("", {}),
        ("\ud800 iOS", {"platform": ["ios"]}),
    ],
)
def test_terms_are_found_by_their_scripts_rules(query: str, expected: dict[str, list[Any]]) -> None:
    found = ControlledVocabFilterExtractor(VOCABULARY).extract(query)
    if not expected:
        assert found is None
        return
    assert found is not None
    conditions = {condition.field: condition for condition in found.conditions}
    assert list(conditions) == list(expected)
    assert found.join == "all_of"
    for field, values in expected.items():
        assert conditions[field].op == ("eq" if len(values) == 1 else "in")
        assert list(conditions[field].values) == values


def test_longest_match_comes_first_whatever_its_place() -> None:
    assert find_terms("a b c d", {"a b", "b c d", "d"}) == [(2, "b c d")]
    assert find_terms("a b a b", {"a", "a b"}) == [(0, "a b"), (4, "a b")]
    assert find_terms("ab", {"a", "b"}) == []


def test_folding_is_stable() -> None:
    for text in ("ǅ", "ﬁ", "İ", "ß", "Ⅷ", "㌀", "K", "iO\u0301S\u3000x"):
        assert fold_term(fold_term(text)) == fold_term(text)


def test_a_vocabulary_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "terms.json"
    path.write_text(json.dumps({"year": [{"value": 0.1, "terms": ["tenth"]}]}), encoding="utf-8")
    expected = MetadataFilter.where("year", "eq", Decimal("0.1"))
    for given in (path, str(path)):
        made = make_filter_extractor("controlled_vocab", vocabulary=given)
        assert made is not None
        assert MetadataFilter.all_of(*made.extract("a tenth").parts) == expected  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ({"a": ["x"], "b": {"y": ["X"]}}, "two fields"),
        ({"a": [" "]}, "blank"),
        ({"a": {"x": [""]}}, "blank"),
        ({"a": {"x": [7]}}, "no string"),
        ({"a": {"x": "term"}}, "list of strings"),
        ({"a": "x"}, "list of values"),
        ({"a": 7}, "list of values"),
        ({"a": [7]}, "value and terms"),
        ({"a": [{"value": 1, "term": ["x"]}]}, "value and terms"),
        ({"a": [{"value": 1, "terms": ["x"]}, "y"]}, "one type"),
        ({"a": [{"value": [1], "terms": ["x"]}]}, "'?in'?|value"),
        ({" ": ["x"]}, "blank"),
    ],
)
def test_a_vocabulary_that_cannot_be_meant_is_refused(vocabulary: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ControlledVocabFilterExtractor(vocabulary)


def test_a_file_that_is_no_vocabulary_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "terms.json"
    for content in (b"[]", b"{", b"\xff", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(ConfigurationError, match=r"terms\.json"):
            ControlledVocabFilterExtractor(path)
    with pytest.raises(ConfigurationError, match=re.escape(str(tmp_path / "absent.json"))):
        ControlledVocabFilterExtractor(tmp_path / "absent.json")


def test_extractors_by_name_and_handed_in() -> None:
    assert make_filter_extractor() is None
    assert make_filter_extractor("none") is None
    made = make_filter_extractor("controlled_vocab", vocabulary=VOCABULARY)
    assert isinstance(made, ControlledVocabFilterExtractor)
    assert make_filter_extractor(made) is made
    with pytest.raises(ConfigurationError, match="needs vocabulary"):
        make_filter_extractor("controlled_vocab")
    with pytest.raises(ConfigurationError, match="none, controlled_vocab, callable"):
        make_filter_extractor("llm")
    with pytest.raises(ConfigurationError):
        make_filter_extractor("callable", extract="year")


def test_a_large_vocabulary_and_a_long_query_take_little_time() -> None:
    terms = [f"term {'x' * (n % 200)} {n}" for n in range(20_000)]
    extractor = ControlledVocabFilterExtractor({"a": terms})
    start = time.process_time()
    extractor.extract("term " * 2000)
    extractor.extract("t" * 10_000)
    assert time.process_time() - start < 5
