"""The names of analyzers: a small grammar, one spelling under which they are stored, and the choice by language."""

from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.analyzer import canonical_analyzer, lexemes_per_code_point
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant


@pytest.fixture(scope="module")
def owner(database: Database) -> Any:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        yield connection


def analyze(connection: psycopg.Connection[Any], text: str, analyzer: str) -> dict[str, int]:
    return dict(connection.execute("SELECT * FROM ragspine.analyze(%s, %s)", [text, analyzer]).fetchall())


def chosen(connection: psycopg.Connection[Any], analyzer: str, language: str | None) -> str:
    [(found,)] = connection.execute("SELECT ragspine.document_analyzer_v1(%s, %s)", [analyzer, language]).fetchall()
    return str(found)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("english", "english"),
        ("english+fold+code", "english+code+fold"),
        ("english+code+fold", "english+code+fold"),
        ("multilingual+fold", "multilingual"),
        ("multilingual+fold+code", "multilingual+code"),
        ("english, italian+fold+code ,cjk", "english,cjk,italian+code+fold"),
        ("cjk,english", "cjk,english"),
    ],
)
def test_one_analyzer_has_one_spelling_and_every_spelling_means_the_same(owner: Any, name: str, stored: str) -> None:
    assert canonical_analyzer(name) == stored
    assert canonical_analyzer(stored) == stored
    text = "Perché getUserName di pg_dump 部署 running"
    assert analyze(owner, text, name) == analyze(owner, text, stored)


@pytest.mark.parametrize(
    "name",
    [
        "english+", "+fold", "english+fold+fold", "english+code+fold+code", "english+Fold", "english+stem",
        "english fold", "english,", ",english", "english,,italian", "english,english", "english,english+fold",
        "english,klingon", ",",
        "english+fold,italian+stem", "multilingual+fold+fold", "english +fold", " english",
    ],
)  # fmt: skip
def test_what_is_not_in_the_grammar_is_refused_and_not_quoted(owner: Any, name: str) -> None:
    for spelling in {name, canonical_analyzer(name)}:
        with pytest.raises(psycopg.Error) as caught:
            analyze(owner, "text", spelling)
        assert caught.value.sqlstate == "RS002"
        assert "klingon" not in str(caught.value)
        assert "stem" not in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(
    name=st.lists(
        st.sampled_from(["english", "cjk", "multilingual", "+", ",", " ", "fold", "code", "x"]), max_size=7
    ).map("".join)
)
def test_the_stored_spelling_is_known_where_the_given_one_is(owner: Any, name: str) -> None:
    """And the other way round, so that a check of either is a check of both."""

    def known(spelling: str) -> bool:
        try:
            analyze(owner, "", spelling)
        except psycopg.Error as error:
            if error.sqlstate != "RS002":
                raise
            return False
        return True

    stored = canonical_analyzer(name)
    assert known(name) == known(stored)
    assert canonical_analyzer(stored) == stored


def test_what_is_refused_says_what_is_known(owner: Any) -> None:
    with pytest.raises(psycopg.Error, match=r"cjk, multilingual, simple .*english"):
        analyze(owner, "", "klingon")
    with pytest.raises(psycopg.Error, match=r"\+code and \+fold"):
        analyze(owner, "", "english+stem")


LIST = "english,cjk,italian+fold,norwegian,portuguese,simple"


@pytest.mark.parametrize(
    ("language", "member"),
    [
        (None, "english"), ("", "english"), ("en", "english"), ("EN-gb", "english"), ("English", "english"),
        ("it", "italian+fold"), ("it_IT", "italian+fold"), ("ita", "italian+fold"), ("italian", "italian+fold"),
        ("zh", "cjk"), ("zh-Hant-TW", "cjk"), ("ja", "cjk"), ("ko", "cjk"), ("Japanese", "cjk"), ("cjk", "cjk"),
        ("pt-BR", "portuguese"), ("nb", "norwegian"), ("nn-NO", "norwegian"), (" it ", "italian+fold"),
        ("de", "english"), ("klingon", "english"), ("x-it", "english"), ("simple", "simple"),
        ("italian+fold", "english"),
    ],
)  # fmt: skip
def test_a_document_is_analysed_by_the_member_of_its_language_else_by_the_first(
    owner: Any, language: str | None, member: str
) -> None:
    assert chosen(owner, LIST, language) == member


@pytest.mark.parametrize("analyzer", ["english", "simple", "cjk+code", "multilingual"])
@pytest.mark.parametrize("language", [None, "it", "zh"])
def test_without_a_list_a_language_chooses_nothing(owner: Any, analyzer: str, language: str | None) -> None:
    assert chosen(owner, analyzer, language) == analyzer


def test_every_snowball_language_of_the_server_is_chosen_by_its_name(owner: Any) -> None:
    names = [
        name
        for (name,) in owner.execute("SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace")
    ]
    assert len(names) > 20
    assert [chosen(owner, f"cjk,{name}", name) for name in names] == names


TEXTS = st.text(st.sampled_from("aeèé lLsS'’ -_.ingr 本系テス번"), max_size=40)
MEMBERS = st.lists(
    st.sampled_from(["english", "italian", "italian+fold", "cjk", "simple+code", "multilingual"]),
    min_size=2,
    unique_by=lambda name: name.split("+")[0],
)


def assert_union(connection: psycopg.Connection[Any], text: str, members: list[str]) -> None:
    """The core: a list gives every lexeme of its members, as often as the member that has it most often."""
    expected: dict[str, int] = {}
    for member in members:
        for lexeme, frequency in analyze(connection, text, member).items():
            expected[lexeme] = max(frequency, expected.get(lexeme, 0))
    assert analyze(connection, text, ",".join(members)) == expected


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, members=MEMBERS)
def test_a_list_is_the_union_of_its_members(owner: Any, text: str, members: list[str]) -> None:
    assert_union(owner, text, members)


def test_union_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("analyze_text_v1", ("max(a.frequency)", "sum(a.frequency)::integer"))
    with psycopg.connect(fresh_database.owner_url) as connection, pytest.raises(AssertionError):
        assert_union(connection, "running, run", ["english", "italian"])


def test_the_share_of_lexemes_is_that_of_the_first_base() -> None:
    assert lexemes_per_code_point("cjk+code") == lexemes_per_code_point("cjk,english") == 0.75
    assert lexemes_per_code_point("simple+fold") == 1 / 6
    assert lexemes_per_code_point("multilingual+code") == 1 / 4
    assert lexemes_per_code_point("english,cjk") == lexemes_per_code_point("german+code+fold") == 1 / 10
