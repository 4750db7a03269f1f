"""From one source's bytes to a document: text, Markdown, HTML, JSON Lines."""

import io
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.errors import InvalidDocument, RagSpineError, SourceRefused
from ragspine_pg.ingest.loader.html import load_html
from ragspine_pg.ingest.loader.jsonl import load_jsonl
from ragspine_pg.ingest.loader.markdown import load_markdown
from ragspine_pg.ingest.loader.text import DEFAULT_MAX_TEXT_BYTES, MAX_TITLE_LENGTH, load_text
from ragspine_pg.ingest.normalise import normalise_text

LOADERS: list[Callable[..., Document]] = [load_text, load_markdown, load_html]


def jsonl(*lines: Any, **options: Any) -> list[Document]:
    data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return list(load_jsonl("corpus.jsonl", io.BytesIO(data), **options))


# Text


def test_text_is_stored_as_it_is_but_for_line_ends_and_byte_order_mark() -> None:
    given_text = "\ufeffCaffè ﬁn\r\n  e\u0301 ①\rｶﾅ\n\ufeffend \n"
    assert load_text("a", given_text.encode()).text == "Caffè ﬁn\n  e\u0301 ①\nｶﾅ\n\ufeffend \n"


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_normalising_changes_nothing_but_line_ends(text: str) -> None:
    normal = normalise_text("a", text)
    assert "\r" not in normal
    assert normal.split("\n") == text.replace("\r\n", "\r").replace("\r", "\n").split("\n")
    assert normalise_text("a", normal) == normal


@pytest.mark.parametrize("load", LOADERS)
def test_invalid_utf8_is_refused_with_its_offset(load: Callable[..., Document]) -> None:
    with pytest.raises(InvalidDocument, match="byte 10") as caught:
        load("notes", b"caf\xc3\xa9 here\xff secret")
    assert caught.value.ids == {"document": "notes", "offset": 10}
    assert "secret" not in str(caught.value)


def test_offset_counts_the_byte_order_mark() -> None:
    with pytest.raises(InvalidDocument, match="byte 4"):
        load_text("a", b"\xef\xbb\xbfx\xff")


def test_utf16_is_named_where_utf8_is_meant() -> None:
    with pytest.raises(InvalidDocument, match="UTF-16"):
        load_text("a", "text".encode("utf-16"))


@pytest.mark.parametrize("load", LOADERS)
def test_nul_is_refused_with_its_offset_or_replaced_when_asked(load: Callable[..., Document]) -> None:
    with pytest.raises(InvalidDocument, match="offset 1") as caught:
        load("notes", b"o\x00er")
    assert caught.value.ids["offset"] == 1
    assert load("notes", b"o\x00er", replace_unstorable=True).text == "o\ufffder"


@pytest.mark.parametrize("load", LOADERS)
def test_bound_is_exact(load: Callable[..., Document]) -> None:
    assert load("a", b"x" * 100, 100).text == "x" * 100
    with pytest.raises(SourceRefused, match="100 bytes"):
        load("a", b"x" * 101, 100)
    assert DEFAULT_MAX_TEXT_BYTES == 16 * 1024 * 1024


# Markdown


def test_markdown_is_stored_as_it_is_with_its_title() -> None:
    source = "---\ntitle: Resi\n---\n\n# Altro *titolo*\n\n[a]: b\n"
    made = load_markdown("a.md", source.encode())
    assert (made.text, made.title) == (source, "Resi")
    assert load_markdown("a.md", b"text\n\n# Il *titolo* `x`\n").title == "Il titolo x"


def test_title_is_cut_to_its_bound() -> None:
    made = load_html("a", b"<title>" + b"word " * 1000 + b"</title><p>x")
    assert 0 < len(made.title) <= MAX_TITLE_LENGTH


# HTML

PAGE = """<!DOCTYPE html>
<html><head><title> Resi &amp; rimborsi </title><style>p { color: red }</style>
<script>let hidden = "<p>script</p>"</script></head>
<body><nav><ul><li>Home</li></ul></nav>
<h1>Come restituire</h1>
<p>Il <b>cliente</b> pu&ograve;
   restituire<br>entro 30&nbsp;giorni.</p>
<ul><li>uno</li><li>due <i>parole</i>.</li></ul>
<pre><code>
def f():
    return  1

    # end
</code></pre>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<div hidden>nascosto</div><template>modello</template>
<!-- commento --><form>Nome <input value="v"><button>Invia</button></form>
coda<p>日本語の<em>文</em>。</p></body></html>"""


def test_html_gives_its_readable_text_block_by_block() -> None:
    made = load_html("a.html", PAGE.encode())
    assert made.title == "Resi & rimborsi"
    assert made.text == (
        "Come restituire\n\nIl cliente può restituire\nentro 30\xa0giorni.\n\nuno\ndue parole.\n\n"
        "def f():\n    return  1\n\n    # end\n\na\tb\n1\t2\n\nNome\n\ncoda\n\n日本語の文。"
    )


def test_html_without_title_takes_its_first_heading() -> None:
    assert load_html("a", b"<title> </title><h1>The <i>plan</i></h1>").title == "The plan"
    assert load_html("a", b"<p>none</p><svg><title>icon</title></svg>").title == ""


@pytest.mark.parametrize(
    ("head", "encoding", "text"),
    [
        ('<meta charset="gb2312">', "gbk", "退货办法"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">', "cp932", "返品①"),
        ("<meta charset=iso-8859-1>", "cp1252", "caffè – “sì”"),
        ('<?xml version="1.0" encoding="EUC-KR"?>', "cp949", "번역"),
        ("<meta charset=utf-16>", "utf-8", "città"),
        ("", "utf-8", "città"),
        ("", "utf-16", "città"),
    ],
)
def test_html_is_decoded_as_it_declares(head: str, encoding: str, text: str) -> None:
    assert load_html("a", f"{head}<p>{text}</p>".encode(encoding)).text == text


def test_html_in_an_unknown_encoding_is_refused() -> None:
    for label in (b"rot13", b"utf-7", b"unicode_escape", b"klingon"):
        with pytest.raises(InvalidDocument, match="encoding"):
            load_html("a", b"<meta charset=" + label + b"><p>x</p>")


def test_html_references_to_what_cannot_be_stored_become_replacement_signs() -> None:
    assert load_html("a", b"<p>a&#0;b&#xD800;c</p>").text == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    "hostile",
    ["<div>" * 100_000, "".join(f"<b a={n}>" for n in range(5_000)) + "<p>x" * 100_000],
    ids=["nested", "formatting left open"],
)
def test_html_that_would_take_minutes_to_parse_is_refused(hostile: str) -> None:
    with pytest.raises(SourceRefused, match="too deeply"):
        load_html("a", hostile.encode())


def test_html_that_is_merely_long_or_untidy_is_read() -> None:
    assert load_html("a", b"<div>" * 5_000 + b"x").text == "x"
    assert load_html("a", b"<p>x" * 20_000).text.count("x") == 20_000
    assert load_html("a", b"<table>" + b"<tr><td>a<td>b" * 5_000).text.count("a\tb") == 5_000
    assert load_html("a", b"<p>a<script>'<div>'" + b"<div>" * 100_000 + b"</script>b").text == "ab"


# JSON Lines


def test_jsonl_line_says_everything_about_its_document() -> None:
    line = {
        "_id": "r1",
        "text": "Goods\r\nreturn",
        "title": "Returns",
        "metadata": {"year": 2024},
        "readers": ["group:staff"],
        "sensitivity": "CONFIDENTIAL",
        "source_uri": "https://example.org/r1",
        "language": "en",
    }
    assert jsonl(line) == [
        Document(
            "r1",
            "Goods\nreturn",
            title="Returns",
            metadata={"year": 2024},
            readers=["group:staff"],
            sensitivity=Sensitivity.CONFIDENTIAL,
            source_uri="https://example.org/r1",
            language="en",
        )
    ]


def test_jsonl_defaults_are_those_of_a_document_and_null_is_absent() -> None:
    plain, nulls = jsonl(
        {"id": "a", "text": ""}, {"id": "a", "text": "", "title": None, "readers": None, "metadata": None}
    )
    assert plain == nulls == Document("a", "", keep={"readers", "sensitivity", "metadata"})


def test_jsonl_rights_that_are_given_are_meant() -> None:
    (line,) = jsonl({"id": "a", "text": "x", "sensitivity": "PUBLIC"})
    assert line.keep == {"readers", "metadata"}


def test_jsonl_empty_readers_stay_empty() -> None:
    assert jsonl({"id": "a", "text": "x", "readers": []})[0].readers == frozenset()


def test_jsonl_numbers_are_exact() -> None:
    line = b'{"id": "a", "text": "x", "metadata": {"a": 0.1, "b": 9007199254740993, "c": 1.10, "d": 1e2}}'
    assert jsonl(line)[0].metadata == {
        "a": Decimal("0.1"),
        "b": 9007199254740993,
        "c": Decimal("1.10"),
        "d": Decimal("1E+2"),
    }


def test_jsonl_byte_order_mark_blank_lines_and_line_ends_are_no_matter() -> None:
    data = b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n\r\n  \n{"id": "b", "text": "y"}'
    assert [made.id for made in jsonl(data)] == ["a", "b"]


BAD_LINES: dict[str, tuple[Any, str]] = {
    "no JSON": (b'{"id": "a", "text": "secret"', "not valid JSON"),
    "no UTF-8": (b'{"id": "a", "text": "secret\xff"}', "not valid UTF-8 at byte 27"),
    "NaN": (b'{"id": "a", "text": "secret", "metadata": {"n": NaN}}', "number"),
    "a number of 5,000 digits": (b'{"id": "a", "text": "secret", "metadata": {"n": ' + b"9" * 5000 + b"}}", "number"),
    "an exponent beyond all": (b'{"id": "a", "text": "secret", "metadata": {"n": 1e999999999999999999}}', "number"),
    "no object": (["secret"], "not a JSON object"),
    "no id": ({"text": "secret"}, "id is missing"),
    "null id": ({"id": None, "text": "secret"}, "id is missing"),
    "no text": ({"id": "a", "title": "secret"}, "text is missing"),
    "two ids": ({"id": "a", "_id": "b", "text": "secret"}, "both id and _id"),
    "an id that is a number": ({"id": 7, "text": "secret"}, "id is not a string"),
    "a text that is a list": ({"id": "a", "text": ["secret"]}, "text is not a string"),
    "a misspelt key": ({"id": "a", "text": "secret", "reader": ["group:staff"]}, "'reader' is not known; is readers"),
    "two unknown keys": ({"id": "a", "text": "t", "b": 1, "a": 1}, "'a', 'b' are not known; a line may have _id,"),
    "a key that could be a text": ({"id": "a", "text": "t", "the secret": 1}, "one of its keys is not known; a line"),
    "a reader that stands for members": ({"id": "a", "text": "secret", "readers": ["@members"]}, "leave readers out"),
    "readers in one string": ({"id": "a", "text": "secret", "readers": "group:staff"}, "readers is not a list"),
    "a reader that is a number": ({"id": "a", "text": "secret", "readers": [1]}, "reader"),
    "a reader that is a list": ({"id": "a", "text": "secret", "readers": [["x"]]}, "reader"),
    "an unknown label": ({"id": "a", "text": "secret", "sensitivity": "SECRET "}, "PUBLIC"),
    "a label that is a number": ({"id": "a", "text": "secret", "sensitivity": 3}, "PUBLIC"),
    "a label that is a list": ({"id": "a", "text": "secret", "sensitivity": ["PUBLIC"]}, "PUBLIC"),
    "metadata that is a list": ({"id": "a", "text": "secret", "metadata": [1]}, "metadata is not an object"),
    "a NUL": ({"id": "a", "text": "secret\0"}, "offset 6"),
    "a lone surrogate": ({"id": "a", "text": "secret\ud800"}, "offset 6"),
    "a NUL in metadata": ({"id": "a", "text": "secret", "metadata": {"k": "o\0er"}}, "metadata.k"),
    "a NUL in a key": ({"id": "a", "text": "secret", "metadata": {"o\0er": 1}}, "key"),
    "nested beyond reason": (b'{"id": "a", "text": "secret", "metadata": {"k": ' + b"[" * 100_000 + b"}}", "deep"),
    "nested too deeply": (b'{"id":"a","text":"secret","metadata":{"k":' + b"[" * 900 + b"]" * 900 + b"}}", "deep"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_jsonl_bad_line_is_named_by_file_and_number_and_not_quoted(name: str) -> None:
    line, what = BAD_LINES[name]
    with pytest.raises(InvalidDocument, match=what) as caught:
        jsonl({"id": "first", "text": "fine"}, b"", line, {"id": "last", "text": "fine"})
    assert "line 3 of corpus.jsonl" in str(caught.value)
    assert (caught.value.ids["source"], caught.value.ids["line"]) == ("corpus.jsonl", 3)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_jsonl_unstorable_signs_are_replaced_when_asked() -> None:
    line = {"id": "a", "text": "o\0er", "title": "\ud800t", "metadata": {"k\0": ["\0", {"x": "\ud800"}]}}
    made = jsonl(line, replace_unstorable=True)[0]
    assert (made.text, made.title) == ("o\ufffder", "\ufffdt")
    assert made.metadata == {"k\ufffd": ["\ufffd", {"x": "\ufffd"}]}


@pytest.mark.parametrize("line", [{"id": "a\0", "text": ""}, {"id": "a", "text": "", "readers": ["group:\0"]}])
def test_jsonl_replacement_never_alters_who_is_meant(line: dict[str, Any]) -> None:
    with pytest.raises(InvalidDocument):
        jsonl(line, replace_unstorable=True)


def test_jsonl_line_has_a_bound() -> None:
    line = b'{"id": "a", "text": "' + b"x" * 100 + b'"}'
    assert len(jsonl(line, line, max_bytes=len(line))) == 2
    with pytest.raises(SourceRefused, match=r"line 2 of corpus\.jsonl") as caught:
        jsonl(b"", line, max_bytes=len(line) - 1)
    assert caught.value.ids["line"] == 2


class _Endless(io.RawIOBase):
    """A line that never ends; counts what was asked of it."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        buffer[:] = b"x" * len(buffer)
        self.taken += len(buffer)
        return len(buffer)


def test_jsonl_never_reads_more_than_its_bound() -> None:
    endless = _Endless()
    with pytest.raises(SourceRefused):
        list(load_jsonl("a", io.BufferedReader(endless, 1024), 10_000))
    assert endless.taken < 20_000


def test_errors_can_be_pickled_with_their_ids() -> None:
    import pickle

    with pytest.raises(RagSpineError) as caught:
        jsonl(b"{")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.ids) == (str(caught.value), caught.value.ids)
