"""``+code``: identifiers are kept whole beside their parts."""

from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg.chunking.limit import lexeme_bound
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant


@pytest.fixture(scope="module")
def reader(database: Database) -> Any:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        yield connection


def analyze(connection: psycopg.Connection[Any], text: str, analyzer: str) -> dict[str, int]:
    return dict(connection.execute("SELECT * FROM ragspine.analyze(%s, %s)", [text, analyzer]).fetchall())


@pytest.mark.parametrize(
    ("text", "lexemes"),
    [
        ("pg_dump", "pg_dump pg dump"),
        ("HTTP/2", "http/2 http 2"),
        ("C++", "c++ c"),
        ("C#", "c# c"),
        (".NET", ".net net"),
        ("ASP.NET", "asp.net asp net"),
        ("user@example.org", "user@example.org user example org"),
        ("1.2.3", "1.2.3 1 2 3"),
        ("v1.2.3-rc1", "v1.2.3-rc1 v1 2 3 rc1"),
        ("well-known", "well-known well known"),
        ("std::vector<int>", "std::vector std vector int"),
        ("foo.bar()", "foo.bar foo bar"),
        ("foo.bar().baz()", "foo.bar foo bar baz"),
        ("ptr->field", "ptr->field ptr field"),
        ("/etc/passwd", "/etc/passwd etc/passwd etc passwd"),
        ("~/.bashrc ./run ../lib", "./run ../lib run lib bashrc"),
        ("--verbose -x", "--verbose verbose -x x"),
        ("--max-connections=5", "--max-connections max-connections max connections 5"),
        ("pg_catalog.pg_class", "pg_catalog.pg_class pg_catalog pg_class pg*2 catalog class"),
        ("__init__ _private _emphasis_", "__init__ init private emphasis"),
        ("$HOME @Override #include", "$home home @override override #include include"),
        ("AT&T R&D", "at&t at t r&d r d"),
        ("libstdc++6 g++-12", "libstdc++6 libstdc 6 g++-12 g 12"),
        ("https://example.org/a?b=1", "https://example.org/a https example org a b 1"),
        (r"C:\temp\x", r"temp\x c temp x"),
        ("getUserName", "getusername get user name"),
        ("HTTPServer XMLHttpRequest", "httpserver http*2 server xmlhttprequest xml request"),
        ("iPhone15Pro utf8String", "iphone15pro i phone15 pro utf8string utf8 string"),
        ("self.getUserName()", "self.getusername self getusername get user name"),
        ("PDFs HTML I iT", "pdfs html i*2 it t"),
        ("Straße_1 naïveUser", "straße_1 straße 1 naïveuser naïve user"),
        ("go部署 部署_v2 iPhone15を", "go部署 部署 v2 iphone15を i phone15"),
    ],
)  # fmt: skip
def test_an_identifier_is_kept_whole_beside_its_parts(reader: Any, text: str, lexemes: str) -> None:
    expected = {}
    for lexeme in lexemes.split():
        name, _, number = lexeme.partition("*")
        expected[name] = int(number or 1)
    assert analyze(reader, text, "simple+code") == expected


@pytest.mark.parametrize(
    "ending", [".", ",", ";", ":", "!", "?", ")", '"', "'s", ")...", "/", "-", "_", "`", "</b>", "。"]
)
@pytest.mark.parametrize("opening", ["", "(", '"', "`", "[", "<b>", "see: ", "= "])
def test_what_ends_or_opens_a_sentence_is_no_part_of_it(reader: Any, opening: str, ending: str) -> None:
    for word in ("pg_dump", "C++", "C#", ".NET", "/etc/passwd", "--verbose", "foo.bar", "1.2.3", "getUserName"):
        assert word.lower() in analyze(reader, f"{opening}{word}{ending}", "simple+code")


@pytest.mark.parametrize(
    "text",
    [
        "end. Next",
        "yes , no",
        "a - b",
        "* item",
        "wait...",
        "word -- word",
        "x = y",
        "100%",
        "I/ O",
        "“word”",
        "it's",
        "a|b",
        "5 > 3",
    ],
)
def test_prose_has_no_identifiers(reader: Any, text: str) -> None:
    assert analyze(reader, text, "simple+code") == analyze(reader, text, "simple")


def test_it_is_not_stemmed_and_has_no_case(reader: Any) -> None:
    found = analyze(reader, "getUserNames running_jobs RUNNING_JOBS The-Users", "english+code")
    assert found == {
        "getusernames": 1, "getusernam": 1, "get": 1, "user": 2, "name": 1,
        "running_jobs": 2, "run": 2, "job": 2, "the-users": 1,
    }  # fmt: skip


def test_one_of_more_than_255_bytes_is_left_out_and_its_words_stay(reader: Any) -> None:
    for kept, dropped in (("a." + "b" * 253, "a." + "b" * 254), ("a_" + "é" * 126 + "x", "a_" + "é" * 127)):
        assert kept in analyze(reader, f"x {kept}.", "simple+code")
        assert analyze(reader, dropped, "simple+code") == analyze(reader, dropped, "simple")
    blob = "aB+c/" * 200_000
    assert analyze(reader, f"{blob} pg_dump", "simple+code") == {
        "ab": 200_000, "c": 200_000, "pg_dump": 1, "pg": 1, "dump": 1,
    }  # fmt: skip
    assert analyze(reader, "aB" * 200, "simple+code") == {"ab" * 200: 1}


def test_other_bases_and_folding(reader: Any) -> None:
    assert analyze(reader, "café_1 をgo_mod部署", "cjk+code+fold") == {
        "cafe_1": 1, "cafe": 1, "1": 1, "を": 1, "go_mod": 1, "go": 1, "mod": 1, "部署": 1,
    }  # fmt: skip
    assert analyze(reader, "ÉtéNoir_x", "french+fold+code") == {
        "etenoir_x": 1, "etenoir": 1, "noir": 1, "x": 1,
    }  # fmt: skip


PIECES = st.sampled_from(
    ["pg", "User", "get", "HTTP", "v1", "é", "部署", "the", "Running", "_", "__", "-", "--", ".", "..", "/", ":", "::",
     "@", "+", "++", "#", "$", "\\", "&", "->", " ", " ", "\n", "(", ")", "'", "x" * 100, "aB" * 70]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def assert_superset(connection: psycopg.Connection[Any], text: str, analyzer: str) -> None:
    """The core: with +code there is all that is there without it, at least as often."""
    plain, found = analyze(connection, text, analyzer), analyze(connection, text, f"{analyzer}+code")
    assert {lexeme: min(number, found.get(lexeme, 0)) for lexeme, number in plain.items()} == plain
    assert all(lexeme == lexeme.lower() and len(lexeme.encode()) <= 2046 for lexeme in found)


@settings(max_examples=150, deadline=None)
@given(text=TEXTS | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs", "Lo", "Lt"]), max_size=60),
       analyzer=st.sampled_from(["simple", "english", "italian+fold", "cjk", "multilingual"]))  # fmt: skip
def test_it_is_a_superset_of_the_plain_analysis(reader: Any, text: str, analyzer: str) -> None:
    assert_superset(reader, text, analyzer)


def test_superset_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("analyze_text_v1", ("words := concat_ws(' ', words, (", "words := concat_ws(' ', '', ("))
    with psycopg.connect(fresh_database.reader_url) as connection, pytest.raises(AssertionError):
        assert_superset(connection, "the plain words", "simple")


WORDS = st.lists(
    st.sampled_from(["pg_dump", "C++", ".NET", "v1.2.3-rc1", "--verbose", "getUserName", "plain"]),
    min_size=1,
    max_size=300,
)


@settings(max_examples=30, deadline=None)
@given(words=WORDS)
def test_frequencies_are_counts_of_occurrences(reader: Any, words: list[str]) -> None:
    found = analyze(reader, " ".join(words), "simple+code")
    assert {word.lower(): found[word.lower()] for word in words} == {word.lower(): words.count(word) for word in words}


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, analyzer=st.sampled_from(["english+code", "multilingual+code", "cjk+code+fold"]))
def test_the_bound_by_which_chunks_are_cut_holds(reader: Any, text: str, analyzer: str) -> None:
    assert len(analyze(reader, text, analyzer)) <= lexeme_bound(text)
