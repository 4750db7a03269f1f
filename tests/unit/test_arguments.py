"""Arguments of the wrong kind: the error names the argument, and the offset of what cannot be sent, never the value."""

from decimal import Decimal
from typing import Any

import pytest

from ragspine_pg import Access, Deadline, Document, RetrievalContext
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.contract.metadata import MAX_DEPTH, dump_json, load_json
from ragspine_pg.contract.name import MAX_NAME_BYTES
from ragspine_pg.contract.search_request import MAX_QUERY_BYTES, SearchRequest, library_names
from ragspine_pg.errors import ConfigurationError, InvalidDocument, QueryError
from ragspine_pg.lexical import rrf_fuse

LONGEST = "é" * (MAX_NAME_BYTES // 2)
NO_NUMBERS: list[Any] = [True, "1", float("nan"), float("inf"), 10**400, -(10**400), [], Decimal("sNaN"), 1j]


@pytest.mark.parametrize("score", NO_NUMBERS)
def test_a_least_score_is_a_finite_number(score: Any) -> None:
    with pytest.raises(QueryError, match="min_score is a finite number") as caught:
        SearchRequest("q", min_score=score)
    assert caught.value.ids == {"argument": "min_score"}


@pytest.mark.parametrize("score", [0, 3, -1.5, Decimal("0.25")])
def test_a_least_score_of_any_kind_of_number_is_taken(score: Any) -> None:
    request = SearchRequest("q", min_score=score)
    assert (request.min_score, type(request.min_score)) == (float(score), float)


@pytest.mark.parametrize("k", [True, "3", 10**30, -(10**30), float("nan"), 3.0, None, Decimal(3)])
def test_k_is_a_whole_number_in_its_range(k: Any) -> None:
    with pytest.raises(QueryError, match="k is a whole number from 1 to 1000") as caught:
        SearchRequest("q", k=k)
    assert caught.value.ids == {"argument": "k"}


@pytest.mark.parametrize("name", ["expand", "metadata_filter", "context"])
def test_other_arguments_of_a_search_are_named(name: str) -> None:
    with pytest.raises(QueryError, match=f"^{name} is") as caught:
        SearchRequest("q", **{name: 5})  # type: ignore[arg-type]
    assert caught.value.ids == {"argument": name}


@pytest.mark.parametrize(("query", "offset"), [("a\0b", 1), ("ab\ud800", 2), ("\udfff", 0)])
def test_a_query_that_cannot_be_sent_is_refused_with_the_offset(query: str, offset: int) -> None:
    with pytest.raises(QueryError, match=f"^query holds a NUL or a lone surrogate at offset {offset}") as caught:
        SearchRequest(query)
    assert caught.value.ids == {"argument": "query", "offset": offset}


def test_a_query_is_bounded_in_bytes() -> None:
    assert SearchRequest("é" * (MAX_QUERY_BYTES // 2)).query
    with pytest.raises(QueryError, match=f"query has at most {MAX_QUERY_BYTES} bytes"):
        SearchRequest("é" * (MAX_QUERY_BYTES // 2) + "x")


@pytest.mark.parametrize("libraries", [5, [["a"]], [None], ["a", "b\0"], "\ud800", [b"a"]])
def test_libraries_are_ids(libraries: Any) -> None:
    with pytest.raises(QueryError, match=r"^libraries") as caught:
        library_names(libraries)
    assert caught.value.ids["argument"] == "libraries"


@pytest.mark.parametrize("seconds", [*NO_NUMBERS, -1])
def test_a_deadline_is_a_finite_time_ahead(seconds: Any) -> None:
    for make in (Deadline.after, Deadline.after(1).tighten):
        with pytest.raises(ConfigurationError, match="seconds are a finite number"):
            make(seconds)


@pytest.mark.parametrize("at", NO_NUMBERS)
def test_a_deadline_is_a_moment(at: Any) -> None:
    with pytest.raises(ConfigurationError, match="at is a finite number"):
        Deadline(at)


@pytest.mark.parametrize("name", ["deadline", "cancellation"])
def test_a_context_takes_its_own_types(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} is a"):
        RetrievalContext(**{name: 5.0})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tenant", "principals", "says"),
    [
        (None, {"a"}, "tenant is a string, not a NoneType"),
        ("t\0", {"a"}, "tenant holds a NUL or a lone surrogate at offset 1"),
        (LONGEST + "x", {"a"}, "tenant has at most 1024 bytes"),
        ("t", 5, "principals is a collection of names, not a int"),
        ("t", "ann", "principals is a collection of names, not one string"),
        ("t", {"a", "b\ud800"}, "one of principals holds a NUL or a lone surrogate at offset 1"),
        ("t", [["a"]], "one of principals is a string, not a list"),
        ("t", {LONGEST + "x"}, "one of principals has at most 1024 bytes"),
        ("t", b"ann", "one of principals is a string, not a int"),
    ],
)
def test_an_access_names_what_is_wrong(tenant: Any, principals: Any, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        Access(tenant, principals)
    assert Access(LONGEST, [LONGEST]).principals == {LONGEST}


@pytest.mark.parametrize("seconds", [*NO_NUMBERS, 0, -1])
def test_a_grant_is_valid_for_a_number_of_seconds(seconds: Any) -> None:
    with pytest.raises(ConfigurationError, match="seconds"):
        mint_grant(GrantKey.new(), Access("t", {"a"}), seconds=seconds)


@pytest.mark.parametrize("text", [None, 5, b"x"])
def test_a_grant_key_is_text(text: Any) -> None:
    with pytest.raises(ConfigurationError, match="grant key"):
        GrantKey.parse(text)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"readers": 5}, "readers is a collection of names, not a int"),
        ({"readers": [["a"]]}, "one of readers is a string, not a list"),
        ({"readers": {LONGEST + "x"}}, "one of readers has at most 1024 bytes"),
        ({"readers": ["a\0"]}, "one of readers holds a NUL or a lone surrogate at offset 1"),
        ({"keep": 5}, "keep is a collection"),
        ({"metadata": [1]}, "metadata is a JSON object"),
        ({"metadata": 0}, "metadata is a JSON object"),
        ({"title": None}, "title is a string, not a NoneType"),
        ({"sensitivity": ["PUBLIC"]}, "sensitivity is one of"),
    ],
)
def test_a_document_names_its_field(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidDocument, match=says) as caught:
        Document("d-1", "text", **options)
    assert caught.value.ids["document"] == "d-1"


@pytest.mark.parametrize(("id", "offset"), [("\0", 0), ("ab\ud800", 2), (LONGEST + "x", None), (None, None)])
def test_an_id_that_is_none_is_refused_with_the_offset(id: Any, offset: int | None) -> None:
    with pytest.raises(InvalidDocument, match="a document's id") as caught:
        Document(id, "text")
    assert caught.value.ids == {"field": "id"} | ({} if offset is None else {"offset": offset})


def nested(levels: int, *, lists: bool) -> dict[str, Any]:
    inner: Any = {} if levels == 1 or not lists else []
    for _ in range(levels - 2):
        inner = [inner] if lists else {"k": inner}
    return {"k": inner} if levels > 1 else inner


@pytest.mark.parametrize("lists", [False, True])
def test_metadata_nests_to_its_bound(lists: bool) -> None:
    deepest = nested(MAX_DEPTH, lists=lists)
    frozen = Document("d-1", "text", metadata=deepest).metadata
    assert load_json(dump_json(frozen)) == deepest
    for levels in (MAX_DEPTH + 1, 900, 100_000):
        with pytest.raises(InvalidDocument, match=f"nests at most {MAX_DEPTH} levels") as caught:
            Document("d-1", "text", metadata=nested(levels, lists=lists))
        assert caught.value.ids == {"document": "d-1"}


def test_metadata_that_contains_itself_nests_too_deep() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = [loop]
    with pytest.raises(InvalidDocument, match="levels deep"):
        Document("d-1", "text", metadata=loop)


def test_a_float_with_a_repr_of_its_own_is_a_number() -> None:
    class Float64(float):
        def __repr__(self) -> str:
            return f"np.float64({float(self)!r})"

    assert Document("d-1", "text", metadata={"x": Float64(0.1)}).metadata == {"x": Decimal("0.1")}


@pytest.mark.parametrize("k", [*NO_NUMBERS, 0])
def test_the_constant_of_fusion_is_a_number_from_one(k: Any) -> None:
    with pytest.raises(QueryError, match="fusion is a finite number"):
        rrf_fuse([["a"]], k=k)


@pytest.mark.parametrize("weight", NO_NUMBERS)
def test_the_weights_of_fusion_are_numbers(weight: Any) -> None:
    with pytest.raises(QueryError, match="weights are finite"):
        rrf_fuse([["a"]], weights=[weight])
