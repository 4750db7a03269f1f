"""The values of the contract: checked at construction, frozen, exact."""

import pickle
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragspine_pg.errors as errors
from ragspine_pg import Document, Locator, Sensitivity
from ragspine_pg.contract.metadata import dump_json, freeze_metadata, load_json
from ragspine_pg.contract.text import replace_unstorable
from ragspine_pg.errors import InvalidDocument, RagSpineError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, RagSpineError)]


@pytest.mark.parametrize("kind", KINDS)
def test_errors_have_a_code_and_survive_pickling(kind: type[RagSpineError]) -> None:
    error = kind("what to do", document="d-1", offset=3, field=None)
    assert issubclass(kind, RagSpineError)
    assert kind.code
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.ids) == (kind, "what to do", {"document": "d-1", "offset": 3})


def test_error_codes_are_distinct() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(codes) == len(set(codes)) > 15


@pytest.mark.parametrize(("text", "offset"), [("o\0er", 1), ("\ud800", 0), ("ab\udfff", 2)])
def test_unstorable_text_is_refused_with_document_and_offset(text: str, offset: int) -> None:
    with pytest.raises(InvalidDocument, match=f"offset {offset}") as caught:
        Document("d-1", text)
    assert caught.value.ids == {"document": "d-1", "field": "text", "offset": offset}
    assert text not in str(caught.value)
    assert Document("d-1", replace_unstorable(text)).text == text.replace(text[offset], "�")


@pytest.mark.parametrize(
    "metadata",
    [{"a": "\0"}, {"\0": 1}, {"a": ["\ud800"]}, {"a": float("nan")}, {"a": Decimal("inf")}, {"a": {1, 2}}, {1: 2},
     {"a": 10**1001}],
)  # fmt: skip
def test_metadata_that_json_cannot_hold_is_refused(metadata: dict[str, object]) -> None:
    with pytest.raises(InvalidDocument) as caught:
        Document("d-1", "text", metadata=metadata)
    assert caught.value.ids["document"] == "d-1"


def test_metadata_is_copied_and_exact() -> None:
    tags = ["a"]
    document = Document(
        "d-1", "text", metadata={"tags": tags, "price": 0.1, "big": 2**53 + 1, "yes": True, "none": None}
    )
    tags.append("b")
    assert document.metadata == {"tags": ["a"], "price": Decimal("0.1"), "big": 2**53 + 1, "yes": True, "none": None}


@pytest.mark.parametrize(
    "options",
    [{"readers": "staff"}, {"readers": {""}}, {"readers": {"\0"}}, {"sensitivity": "internal"},
     {"sensitivity": "INTERNAL "}],
)  # fmt: skip
def test_rights_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(InvalidDocument):
        Document("d-1", "text", **options)  # type: ignore[arg-type]


def test_readers_none_and_empty_differ() -> None:
    assert Document("d", "t").readers is None
    assert Document("d", "t", readers=[]).readers == frozenset()
    assert Document("d", "t").sensitivity is Sensitivity.INTERNAL


@pytest.mark.parametrize("name", ["", "  ", "x" * 1025])
def test_an_id_is_a_name(name: str) -> None:
    with pytest.raises(InvalidDocument):
        Document(name, "text")


@given(text=TEXT, data=st.data())
def test_a_locator_verifies_its_own_slice_and_no_other(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    locator = Locator.of(text, start, end)
    assert Locator.parse(str(locator)) == locator
    assert locator.verify(text)
    assert not locator.verify(text[:start] + "\U0001f512" + text[start:]) or text[start:end] == ""
    if end > start:
        assert not locator.verify(text[:start] + chr(ord(text[start]) ^ 1) + text[start + 1 :])


@pytest.mark.parametrize("written", ["", "char=0,1", "char=01,2;sha256=" + "0" * 64, "char=0,1;sha256=" + "G" * 64])
def test_what_is_no_locator_is_an_error(written: str) -> None:
    with pytest.raises(ValueError, match="locator"):
        Locator.parse(written)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=5) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXT.filter(lambda key: "\0" not in key), JSON, max_size=4))
def test_json_keeps_every_digit(metadata: dict[str, object]) -> None:
    try:
        frozen = freeze_metadata(metadata)
    except InvalidDocument:
        assert "\\u0000" in repr(metadata) or "\\x00" in repr(metadata)
        return
    assert load_json(dump_json(frozen)) == frozen
