"""Where headings are, and where they are not."""

import pytest

from ragspine_pg.chunking import BlockKind, LayoutAwareChunker, make_chunker, markdown_title, split_markdown_sections
from ragspine_pg.chunking.markdown_outline import is_markdown
from ragspine_pg.chunking.policy import outline
from tests.chunking_texts import CHINESE, ENGLISH, ITALIAN, JAPANESE, PLAIN, document


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.heading_path for section in outline(document(text))]


def test_markdown_headings_give_a_path() -> None:
    assert paths(ENGLISH) == [("Returns",), ("Returns", "Refunds"), ("Returns", "Exceptions", "Food")]
    assert paths(JAPANESE) == [("返品",), ("返品", "返金")]


def test_heading_without_body_belongs_to_the_deeper_section_below_it() -> None:
    last = outline(document(ENGLISH))[-1]
    assert last.text.startswith("## Exceptions\n\n### Food")


def test_front_matter_belongs_to_the_first_section_and_is_no_heading() -> None:
    first = outline(document(ENGLISH))[0]
    assert first.text.startswith("---\ntitle:")
    assert first.heading_path == ("Returns",)


def test_hash_in_a_code_fence_or_comment_run_is_no_heading() -> None:
    fenced = "# Setup\n\nRun it:\n\n```sh\n# not a heading\nmake\n```\n\n## Next\n\ntext\n"
    assert paths(fenced) == [("Setup",), ("Setup", "Next")]
    assert not is_markdown("# first comment\n# second comment\nvalue = 1\n")


def test_setext_and_marked_up_headings_lose_their_marks() -> None:
    text = "The *big* `plan`\n===\n\ntext\n\n## A [link](http://x.example) &amp; more ##\n\nx\n"
    assert [s.heading_path for s in split_markdown_sections(document(text))] == [
        ("The big plan",),
        ("The big plan", "A link & more"),
    ]


def test_heading_inside_a_quote_or_list_opens_no_section() -> None:
    assert paths("# One\n\n> # quoted\n\n- # listed\n\ntext\n") == [("One",)]


def test_numbered_headings_in_plain_text() -> None:
    assert paths(ITALIAN) == [("1. Resi",), ("1. Resi", "1.1 Rimborsi"), ("1. Resi", "1.2 Eccezioni")]


def test_chinese_and_japanese_chapters_and_articles() -> None:
    assert paths(CHINESE) == [
        (),
        ("第一章 总则", "第一条"),
        ("第一章 总则", "第二条"),
        ("第二章 退款", "第三条"),
    ]
    japanese = "第1章 総則\n\n第1条（目的）\nこの規約は返品を定める。\n\n第2条の2　定義は次による。\n"
    assert paths(japanese) == [("第1章 総則", "第1条（目的）"), ("第1章 総則", "第2条の2")]


def test_underlined_headings_take_their_depth_by_appearance() -> None:
    assert paths(PLAIN) == [("Returns",), ("Returns", "Refunds")]
    assert paths("Top\n~~~\n\na\n\nLow\n^^^\n\nb\n\n====\nTwin\n====\n\nc\n") == [
        ("Top",),
        ("Top", "Low"),
        ("Top", "Low", "Twin"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Buy these:\n\n1. Milk\n\n2. Bread\n\n3. Eggs\n\nThat is all.",
        "1. Milk\n2. Bread\n3. Eggs",
        "The year\n\n2024 was long.\n\nand\n\n3.5 million people live there.",
        "1.1 Introduction ......... 3\n\n1.2 Methods ......... 5\n\nbody",
        "第三条规定的情形除外。",
        "第一条规定的情形，由公司处理。\n第二条规定的情形，由客户处理。",
        "a table\n\n| --- |\n-----\n\n*****\n\nend",
        "version 1.2 Title in the middle of a line",
    ],
)
def test_lists_figures_and_references_are_no_headings(text: str) -> None:
    assert set(paths(text)) == {()}


def test_blocks_are_named_for_what_they_are() -> None:
    kinds = [block.kind for section in outline(document(ENGLISH)) for block in section.blocks]
    assert kinds.count(BlockKind.LINES) == 3  # front matter, table, code
    assert kinds.count(BlockKind.HEADING) == 4


def test_line_ends_of_any_kind_give_the_same_sections() -> None:
    for line_end in ("\r\n", "\r"):
        sections = split_markdown_sections(document(ENGLISH.replace("\n", line_end)))
        assert [s.heading_path for s in sections] == paths(ENGLISH)


def test_link_definitions_and_other_silent_lines_are_kept() -> None:
    text = "# T\n\n[a]: http://example.org 'x'\n\ntext [a]\n\n[b]: /b\n"
    assert "".join(s.text for s in outline(document(text))).count("http://example.org") == 1


def test_layout_chunks_never_cross_a_section() -> None:
    for text in (ENGLISH, ITALIAN, CHINESE, JAPANESE, PLAIN):
        given = document(text)
        sections = outline(given)
        assert len(sections) > 1
        for chunk in LayoutAwareChunker(size=60).chunk(given):
            assert sum(s.span.start <= chunk.span.start and chunk.span.end <= s.span.end for s in sections) == 1


@pytest.mark.parametrize("name", ["parent_child", "small_to_big"])
def test_parent_window_is_the_whole_section_and_shared(name: str) -> None:
    for text in (ENGLISH, ITALIAN, CHINESE, JAPANESE, PLAIN):
        given = document(text)
        sections = {section.locator: section for section in outline(given)}
        chunks = make_chunker(name, size=20).chunk(given)
        assert {chunk.parent_locator for chunk in chunks} == set(sections)
        assert len(chunks) > len(sections)
        for chunk in chunks:
            assert chunk.window_text == sections[chunk.parent_locator].text
            assert chunk.text in chunk.window_text


def test_only_parent_child_sets_a_window() -> None:
    for name in ("default", "whole", "layout"):
        assert not any(c.parent_locator or c.window_text for c in make_chunker(name).chunk(document(ENGLISH)))
    layout = make_chunker("layout", size=80).chunk(document(ENGLISH))
    windows = make_chunker("parent_child", size=80).chunk(document(ENGLISH))
    assert [c.span for c in layout] == [c.span for c in windows]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (ENGLISH, "Returns handbook"),
        (JAPANESE, "返品"),
        ("---\ntitle: 'It''s here'\n---\n# Other\n", "It's here"),
        ('---\nid: 1\ntitle: "Caffè \\u0026 tè" # note\n---\n', "Caffè & tè"),
        ("---\ntitle: Plain # comment\n---\n", "Plain"),
        ("---\ntitle: |\n  block\n---\n\n# Heading\n", "Heading"),
        ('+++\ntitle = "Toml"\n+++\n\n# Heading\n', "Toml"),
        ("---\n\nnot settings\n\n---\n\n# Heading\n", "Heading"),
        ("no heading at all", ""),
        ("#\n\n## Second\n", "Second"),
    ],
)
def test_title_is_the_front_matters_or_the_first_heading(text: str, title: str) -> None:
    assert markdown_title(text) == title
