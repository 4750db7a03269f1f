"""What the analyzers make of a text: in SQL alone, for ingest and query alike."""

import re
from collections import Counter
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.database import Database
from tests.fixtures.spine import Plant


@pytest.fixture(scope="module")
def reader(database: Database) -> Any:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        yield connection


def analyze(connection: psycopg.Connection[Any], text: str, analyzer: str) -> dict[str, int]:
    return dict(connection.execute("SELECT * FROM ragspine.analyze(%s, %s)", [text, analyzer]).fetchall())


@pytest.mark.parametrize(
    ("analyzer", "text", "expected"),
    [
        ("english", "Returned orders, returning an ORDER", {"order": 2, "return": 2}),
        ("english", "the of and", {}),
        ("english", "end.Next a/b/c -5 user@example.com <b>bold</b>", {
            "end": 1, "next": 1, "b": 3, "c": 1, "5": 1, "user": 1, "exampl": 1, "com": 1, "bold": 1,
        }),
        ("english", "\ufb01le Ｆｕｌｌ", {"file": 1, "full": 1}),
        ("italian", "L'ordine degli ordini", {"ordin": 2}),
        ("simple", "Éléphant ÉLÉPHANT", {"éléphant": 2}),
        ("simple", "cafe\u0301 café", {"café": 2}),
        ("cjk", "本系统支持", {"本系": 1, "系统": 1, "统支": 1, "支持": 1}),
        ("cjk", "日本語のテスト", {"日本": 1, "本語": 1, "語の": 1, "のテ": 1, "テス": 1, "スト": 1}),
        ("cjk", "번역을 부탁해", {"번역": 1, "역을": 1, "부탁": 1, "탁해": 1}),
        ("cjk", "ﾃｽﾄ", {"テス": 1, "スト": 1}),
        ("cjk", "ＡＢＣ１２ ｶﾞｷﾞ ㍿", {"abc12": 1, "ガギ": 1, "株式": 1, "式会": 1, "会社": 1}),
        ("cjk", "iPhone15を買う", {"iphone15": 1, "を買": 1, "買う": 1}),
        ("cjk", "서울에서 서울은", {"서울": 2, "울에": 1, "에서": 1, "울은": 1}),
        ("cjk", "\u1109\u1165\u110b\u116e\u11af", {"서울": 1}),
        ("cjk", "人々 時々 こゝろ いすゞ", {"人々": 1, "時々": 1, "こゝ": 1, "ゝろ": 1, "いす": 1, "すゞ": 1}),
        ("cjk", "サーバー", {"サー": 1, "ーバ": 1, "バー": 1}),
        ("cjk", "か\u3099", {"が": 1}),
        ("cjk", "𠮷𠀋a𠮷", {"𠮷𠀋": 1, "a": 1, "𠮷": 1}),
        ("cjk", "ㄅㄆ 〇一", {"ㄅㄆ": 1, "〇一": 1}),
        ("cjk", "Go言語でAPIを、C言語", {"go": 1, "言語": 2, "語で": 1, "api": 1, "を": 1, "c": 1}),
        ("multilingual", "Häuser, Haus. 部署 ﾊﾞｸﾞ", {"hauser": 1, "haus": 2, "部署": 1, "バグ": 1}),
        ("multilingual", "houses house HOUSING hous the 123456 abcd1234 abc12345", {
            "houses": 1, "house": 1, "housing": 1, "hous": 4, "the": 1, "123456": 1,
            "abcd1234": 1, "abcd": 1, "abc12345": 1,
        }),
        ("multilingual", "Нации нация Ἀθῆναι", {"нации": 1, "нация": 1, "наци": 2, "αθηναι": 1, "αθην": 1}),
        ("cjk", "ﾊﾞｸﾞ", {"バグ": 1}),
        ("cjk", "go部署 v2", {"go": 1, "部署": 1, "v2": 1}),
        ("cjk", "水", {"水": 1}),
        ("cjk", "𠮷野家。", {"𠮷野": 1, "野家": 1}),
        ("cjk", "東京・大阪", {"東京": 1, "大阪": 1}),
    ],
)  # fmt: skip
def test_lexemes(reader: Any, analyzer: str, text: str, expected: dict[str, int]) -> None:
    assert analyze(reader, text, analyzer) == expected


@pytest.mark.parametrize(
    ("text", "query", "analyzer"),
    [
        ("本系统支持外币汇率换算功能", "外币汇率换算", "cjk"),
        ("日本語のテスト", "テスト", "cjk"),
        ("번역을 부탁해", "번역", "cjk"),
        ("ﾃｽﾄを行う", "テスト", "cjk"),
        ("テストを行う", "ﾃｽﾄ", "cjk"),
        ("𠮷野家で昼食", "𠮷野家", "cjk"),
        ("go部署する", "GO", "cjk"),
        ("iPhone15を買う", "ｉＰｈｏｎｅ１５", "cjk"),
        ("iPhone15を買う", "買う", "multilingual"),
        ("서울특별시에서", "서울특별시", "cjk"),
        ("人々の暮らし", "人々", "multilingual"),
        ("le case della città", "citta", "multilingual"),
        ("houses", "hous", "multilingual"),
    ],
)
def test_what_is_searched_is_in_what_is_found(reader: Any, text: str, query: str, analyzer: str) -> None:
    assert analyze(reader, query, analyzer).keys() <= analyze(reader, text, analyzer).keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word " * 300, {"word": 300}),
        ("word—" * 300, {"word": 300}),
        ("word " * 40_000, {"word": 40_000}),
        (" ".join(f"w{n}" for n in range(20_000)), {f"w{n}": 1 for n in range(20_000)}),
        ("alpha " * 254 + "omega", {"alpha": 254, "omega": 1}),
        ("alpha " * 255 + "omega", {"alpha": 255, "omega": 1}),
        ("x" * 2046 + " y", {"x" * 2046: 1, "y": 1}),
        ("x" * 2047 + " y", {"y": 1}),
        ("x" * 2048 + " y", {"y": 1}),
        ("x" * 900_000 + " y", {"y": 1}),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else None,
)
def test_frequencies_are_right_beyond_tsvectors_caps(reader: Any, text: str, expected: dict[str, int]) -> None:
    assert analyze(reader, text, "simple") == expected


def test_two_hundred_thousand_words(reader: Any) -> None:
    found = analyze(reader, " ".join(f"w{n}" for n in range(200_000)), "english")
    assert len(found) == 200_000
    assert set(found.values()) == {1}


def test_caps_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("count_lexemes_v1", ("IF capped THEN", "IF false THEN"))
    with psycopg.connect(fresh_database.reader_url) as connection:
        assert analyze(connection, "word " * 300, "simple") == {"word": 255}


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.sampled_from(["ab", "cd", "x1", "ÄÖ", "long" * 30]), max_size=700))
def test_counts_are_counts(reader: Any, words: list[str]) -> None:
    assert analyze(reader, " ".join(words), "simple") == dict(Counter(word.lower() for word in words))


CJK = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0002a6df]+")


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.sampled_from("本系统テスト번역𠮷ー ab1、。"), max_size=60))
def test_bigrams_are_those_of_the_runs(reader: Any, text: str) -> None:
    expected: Counter[str] = Counter()
    for run in CJK.findall(text):
        expected.update([run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)])
    found = {lexeme: n for lexeme, n in analyze(reader, text, "cjk").items() if CJK.fullmatch(lexeme)}
    assert found == dict(expected)


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
@pytest.mark.parametrize(
    "analyzer", ["simple", "english", "cjk", "multilingual+code", "french+code+fold", "cjk+code,english,russian+fold"]
)
def test_no_text_is_an_error(reader: Any, text: str, analyzer: str) -> None:
    found = analyze(reader, text, analyzer)
    assert list(found) == sorted(found)
    assert all(lexeme and n > 0 for lexeme, n in found.items())


@pytest.mark.parametrize("analyzer", ["", "English", "pg_catalog.english", "english'; --", "klingon"])
def test_an_unknown_analyzer_is_said_so(reader: Any, analyzer: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        analyze(reader, "text", analyzer)
    assert caught.value.sqlstate == "RS002"
    assert analyzer == "" or analyzer not in str(caught.value)


def test_every_snowball_language_works(reader: Any) -> None:
    names = reader.execute(
        "SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace"
    ).fetchall()
    assert len(names) > 20
    for (name,) in names:
        assert analyze(reader, "1984 xyz", name)


def test_search_path_and_a_shadowing_configuration_do_not_matter(reader: Any, database: Database) -> None:
    expected = analyze(reader, "returned orders", "english")
    with psycopg.connect(database.owner_url) as connection:
        connection.execute("CREATE SCHEMA shadow")
        connection.execute("CREATE TEXT SEARCH CONFIGURATION shadow.english (COPY = pg_catalog.simple)")
        for path in ("", "shadow, pg_catalog"):
            connection.execute("SELECT set_config('search_path', %s, true)", [path])
            assert analyze(connection, "returned orders", "english") == expected
        connection.rollback()
