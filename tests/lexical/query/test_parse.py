"""What is read from a query: its words, and the operators in it; and no text is an error."""

from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg import plain_query
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

Parsed = list[tuple[str, str, str]]


def may(text: str, kind: str = "words") -> tuple[str, str, str]:
    return ("may", kind, text)


def must(text: str, kind: str = "words") -> tuple[str, str, str]:
    return ("must", kind, text)


def barred(text: str, kind: str = "words") -> tuple[str, str, str]:
    return ("not", kind, text)


PLAIN = [
    "",
    " ",
    "What's ours?",
    "AT&T | R&D",
    "a & | ! ( :* <-> '",
    "'",
    "\\",
    "'quoted'",
    "tar --verbose",
    "well-known",
    "a - b",
    "a + b",
    "C++ C+",
    "1-2",
    '5" disk',
    '19" 21" monitors',
    '"',
    '""',
    '"" empty',
    '" not before a space"',
    '"never closed',
    '+"never closed',
    '-"',
    '"Foo"-Analyse',
    '"one""two"',
    'say"no"more',
    "什么是“人工智能”？",
    "* ** a* *b x*y",
    "C:\\*.*",
    "pg_dum*",
    "é*",
    "+€5 -… +😀 -—",
    "--- +++ -+a +-a",
    "\u2212minus \u2013dash",
    "\U0001f600",
    "foo *",
]
"""Queries without an operator: one clause, as it was typed."""

READ: dict[str, Parsed] = {
    'What\'s our "password" policy?': [may("What's our"), may("password", "phrase"), may("policy?")],
    '"a phrase" and +"another" -"a third"': [
        may("a phrase", "phrase"),
        may("and"),
        must("another", "phrase"),
        barred("a third", "phrase"),
    ],
    "“curly” „low“ «angle» »Winkel« ‟odd”": [may(w, "phrase") for w in ("curly", "low", "angle", "Winkel", "odd")],
    '"what follows", is plain': [may("what follows", "phrase"), may(", is plain")],
    '"it\'s"': [may("it's", "phrase")],
    '"/etc/fstab" "-O2"': [may("/etc/fstab", "phrase"), may("-O2", "phrase")],
    '"over\na line"': [may("over\na line", "phrase")],
    "carbon -steel +fibre": [may("carbon"), barred("steel"), must("fibre")],
    "+pg_dump -C++ +e-mail,x": [must("pg_dump"), barred("C++"), must("e-mail,x")],
    "-5 +2024": [barred("5"), must("2024")],
    "+été -北京 +Ünal": [must("été"), barred("北京"), must("Ünal")],
    "auto* +pre* -post* 外*": [
        ("may", "prefix", "auto"),
        must("pre", "prefix"),
        barred("post", "prefix"),
        ("may", "prefix", "外"),
    ],
    "+a* +ab** go部署*": [must("a*"), must("ab**"), ("may", "prefix", "go部署")],
    '"x*" +y"z" w': [may("x*", "phrase"), must('y"z"'), may("w")],
    "－ＡＢ　＋部署＊ ＂句　子＂": [barred("AB"), must("部署", "prefix"), may("句 子", "phrase")],
    "\u200b+zero\u200b\u00adwidth": [must("zerowidth")],
    "a\u00a0+b\u2003-c\t+d\r\n-e": [may("a"), must("b"), barred("c"), must("d"), barred("e")],
    "-only": [barred("only")],
}


def parse(connection: psycopg.Connection[Any], query: str) -> Parsed:
    rows = connection.execute("SELECT * FROM ragspine.parse_query_v1(%s) ORDER BY place", [query]).fetchall()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    return [row[1:] for row in rows]


def analysed(connection: psycopg.Connection[Any], query: str, analyzer: str) -> list[tuple[str, int]]:
    return connection.execute("SELECT * FROM ragspine.analyze(%s, %s)", [query, analyzer]).fetchall()


@pytest.fixture(scope="module")
def reader(database: Database):  # type: ignore[no-untyped-def]
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        yield connection


def check(connection: psycopg.Connection[Any]) -> None:
    """The core of what is known by heart."""
    for query in PLAIN:
        assert parse(connection, query) == [may(query)], query
    for query, clauses in READ.items():
        assert parse(connection, query) == clauses, query


def test_operators_count_where_a_word_begins(reader: psycopg.Connection[Any]) -> None:
    check(reader)


@pytest.mark.parametrize(
    "edit",
    [
        ("'(?<![^' || space || '])(?:'", "'(?:'"),
        ("(?!' || letter || '|[' || quote || '+-])'", "'"),
        ("|[+-]' || letter || '[^'", "|[+-][^'"),
        ("{2,}|[", "+|["),
        ("normalize(ragspine.drop_ignorable_v1(text), NFKC) END", "text END"),
    ],
)
def test_where_operators_count_has_teeth(plant: Plant, fresh_database: Database, edit: tuple[str, str]) -> None:
    plant("parse_query_v1", edit)
    with psycopg.connect(fresh_database.reader_url) as connection, pytest.raises(AssertionError):
        check(connection)


def test_after_thirty_two_operators_everything_is_plain(reader: psycopg.Connection[Any]) -> None:
    read = parse(reader, "word " + "".join(f"+w{n} " for n in range(32)) + '-x "y z" pre*')
    assert read == [may("word"), *(must(f"w{n}") for n in range(32)), may('-x "y z" pre*')]


def test_a_query_as_long_as_they_get_is_read(reader: psycopg.Connection[Any]) -> None:
    for unit in ("+a ", '"a" ', '"a ', "-ab* ", "«", "é* "):
        query = (unit * 65536)[: 65536 // len(unit.encode()) * len(unit)]
        assert len(parse(reader, query)) <= 33


# What operators are made of, far more often than in any text.
PIECES = st.sampled_from(
    [*'"“”„«»+-* \u3000＋－＊＂', "a", "é", "外", "1", "the", "ab", "+ab", '"a b"', " ", "\u00ad", "\n", "'", "."]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40),
    st.lists(PIECES, max_size=25).map("".join),
)


def written(clauses: Parsed) -> str:
    """Clauses as a query."""
    sign = {"may": "", "must": "+", "not": "-"}
    form = {"words": "{}", "phrase": '"{}"', "prefix": "{}*"}
    return " ".join(sign[occurs] + form[kind].format(text) for occurs, kind, text in clauses)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=TEXTS)
def test_any_text_is_a_query_and_says_the_same_when_written_again(reader: psycopg.Connection[Any], query: str) -> None:
    clauses = parse(reader, query)
    assert clauses
    assert {(occurs, kind) for occurs, kind, _ in clauses} <= {
        (occurs, kind) for occurs in ("may", "must", "not") for kind in ("words", "phrase", "prefix")
    }
    if [clause[:2] for clause in clauses] == [("may", "words")]:
        # What is plain is what it always was.
        assert parse(reader, clauses[0][2]) == clauses
        for analyzer in ("english", "cjk"):
            assert analysed(reader, clauses[0][2], analyzer) == analysed(reader, query, analyzer)
    else:
        assert parse(reader, written(clauses)) == clauses
    words = reader.execute("SELECT ragspine.query_words_v1(%s)", [query]).fetchone()
    assert words == (" ".join(text for occurs, _, text in clauses if occurs != "not"),)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=TEXTS)
def test_a_plain_query_is_words_alone_and_the_same_words(reader: psycopg.Connection[Any], query: str) -> None:
    plain = plain_query(query)
    assert parse(reader, plain) == [may(plain)]
    for analyzer in ("english", "cjk"):
        assert analysed(reader, plain, analyzer) == analysed(reader, query, analyzer)


def test_a_plain_query_keeps_what_is_no_operator() -> None:
    for query in ("C++ and well-known 1-2", "a.b@c.de", "x*y", "it's", "外币汇率"):
        assert plain_query(query) == query
    assert plain_query('what is "this" -that + pre*') == "what is  this   that   pre "


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=TEXTS)
def test_no_word_is_lost_by_reading(reader: psycopg.Connection[Any], query: str) -> None:
    """All clauses' words, the excluded ones included, are the words of the text."""
    every = " ".join(text for _, _, text in parse(reader, query))
    for analyzer in ("simple", "cjk"):
        assert analysed(reader, every, analyzer) == analysed(reader, query, analyzer)
