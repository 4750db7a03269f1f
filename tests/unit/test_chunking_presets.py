"""What the presets for a purpose take for one thing, and what they do not."""

import time

import pytest

from ragspine_pg.chunking import make_chunker
from tests.chunking_texts import document


def texts(name: str, text: str, **options: int) -> list[str]:
    return [chunk.text for chunk in make_chunker(name, **options).chunk(document(text))]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            "Q: How long?\nA: Thirty days.\n\nMore.\n\nQ: When? A: Now.",
            ["Q: How long?\nA: Thirty days.\n\nMore.", "Q: When? A: Now."],
        ),
        (
            "Domanda: Quanto?\nRisposta: Poco.\n\nDomanda: Come?\nRisposta: Così.",
            ["Domanda: Quanto?\nRisposta: Poco.", "Domanda: Come?\nRisposta: Così."],
        ),
        ("问：多久？\n答：三十天。\n\n问：为什么？答：因为。", ["问：多久？\n答：三十天。", "问：为什么？答：因为。"]),
        (
            "質問：いつですか。\n回答：明日です。\n\n質問：なぜ？\n回答：はい。",
            ["質問：いつですか。\n回答：明日です。", "質問：なぜ？\n回答：はい。"],
        ),
        ("**Q: Bold?**\n\nYes.\n\n**Q: Again?**\n\nNo.", ["**Q: Bold?**\n\nYes.", "**Q: Again?**\n\nNo."]),
        (
            "1. How do I return?\nSend it.\n\n2. How long?\nThirty days.",
            ["1. How do I return?\nSend it.", "2. How long?\nThirty days."],
        ),
        (
            "## How long?\n\nThirty days.\n\n### Note\n\nNot food.\n\n## Why?\n\nSo.",
            ["## How long?\n\nThirty days.\n\n### Note\n\nNot food.", "## Why?\n\nSo."],
        ),
        (
            "# よくある質問\n\n## いつ？\n\n明日。\n\n## どこ？\n\nここ。",
            ["# よくある質問\n\n## いつ？\n\n明日。", "## どこ？\n\nここ。"],
        ),
    ],
)
def test_a_question_and_its_answer_are_one_chunk(text: str, pairs: list[str]) -> None:
    assert texts("qa", text) == pairs


def test_what_stands_before_the_first_question_is_no_part_of_it() -> None:
    assert texts("qa", "Welcome.\n\nQ: How?\nA: So.") == ["Welcome.", "Q: How?\nA: So."]
    assert texts("qa", "# Help\n\nQ: How?\nA: So.") == ["# Help\n\nQ: How?\nA: So."]
    assert texts("qa", "## Why?\n\nSo.\n\n## Contact\n\nCall.") == ["## Why?\n\nSo.", "## Contact\n\nCall."]


@pytest.mark.parametrize(
    "text",
    [
        "Pick one.\n\nD) a dog\n\nA) an ape",  # a list of choices
        "Q: is the letter of quality.\n\nIt stands alone.",
        "Is it so? A. Smith thinks it is.",
        "```\nQ: in code?\nA: yes\n```\n\nText.",
    ],
)
def test_what_only_looks_like_a_question_is_left_to_default(text: str) -> None:
    assert texts("qa", text) == texts("default", text)


def test_text_without_questions_or_articles_is_cut_as_by_default() -> None:
    prose = "\n\n".join(f"Paragraph {n}. " + "It goes on and on. " * 20 for n in range(20))
    assert len(texts("default", prose)) > 5
    assert texts("qa", prose) == texts("laws", prose) == texts("default", prose)


LAW = """THE ACT

CHAPTER I
General provisions

Article 1
Scope

This Act applies to the returns that are meant by what is laid down in
Article 12 of the Treaty, and in
Article 13.

Article 2 Definitions
(1) Goods are things.

Art. 5-bis. Something else.

§ 3 Haftung
Der Text.

CHAPTER II
More

Article 6 — End
It ends.
"""


def test_an_article_is_one_chunk_with_the_chapter_that_it_opens() -> None:
    found = texts("laws", LAW)
    assert [chunk.split("\n")[0] for chunk in found] == [
        "THE ACT",
        "CHAPTER I",
        "Article 2 Definitions",
        "Art. 5-bis. Something else.",
        "§ 3 Haftung",
        "CHAPTER II",
    ]
    assert found[1].endswith("Article 13.")
    assert found[5] == "CHAPTER II\nMore\n\nArticle 6 — End\nIt ends."


def test_articles_of_chinese_japanese_and_korean_laws_are_found() -> None:
    chinese = "办法\n\n第一章 总则\n第一条　依照\n第十二条规定办理。\n第二条　包裹必须完整！"
    chinese += "\n\n第二章 退款\n第三条　款项退回。"
    assert texts("laws", chinese) == [
        "办法",
        "第一章 总则\n第一条　依照\n第十二条规定办理。",
        "第二条　包裹必须完整！",
        "第二章 退款\n第三条　款项退回。",
    ]
    japanese = "第１条（目的）\nこの法律は、目的とする。\n第２条の２　用語の意義は次のとおり。"
    assert texts("laws", japanese) == [
        "第１条（目的）\nこの法律は、目的とする。",
        "第２条の２　用語の意義は次のとおり。",
    ]
    assert texts("laws", "제1조(목적)\n이 법은 목적이다.\n\n제2조(정의)\n정의한다.") == [
        "제1조(목적)\n이 법은 목적이다.",
        "제2조(정의)\n정의한다.",
    ]


def test_a_deeper_heading_stays_in_its_article() -> None:
    text = "# Law\n\n## Part one\n\n### Article 1 Scope\n\nText.\n\n#### Detail\n\nMore.\n\n"
    text += "### Article 2\n\nText.\n\n## Annex\n\nA list."
    assert texts("laws", text) == [
        "# Law\n\n## Part one\n\n### Article 1 Scope\n\nText.\n\n#### Detail\n\nMore.",
        "### Article 2\n\nText.",
        "## Annex\n\nA list.",
    ]


def test_pieces_of_a_long_article_carry_it_as_their_window() -> None:
    article = "Article 1\n" + "The parcel comes back. " * 40
    chunks = make_chunker("laws", size=200).chunk(document(f"{article.strip()}\n\nArticle 2\nShort."))
    assert len(chunks) > 4
    assert {chunk.window_text for chunk in chunks[:-1]} == {article.strip()}
    assert (chunks[-1].text, chunks[-1].window_text) == ("Article 2\nShort.", "")
    assert all(len(chunk.text) <= 200 for chunk in chunks)


def test_pieces_of_a_long_answer_carry_the_question_as_their_window() -> None:
    pair = "Q: How long?\nA: " + "Thirty days and a day. " * 20
    chunks = make_chunker("qa", size=150).chunk(document(pair))
    assert len(chunks) > 2
    assert {chunk.window_text for chunk in chunks} == {pair.strip()}


def windows(text: str, **options: int) -> list[tuple[str, str]]:
    return [(c.text, c.window_text) for c in make_chunker("sentence_window", **options).chunk(document(text))]


def test_a_sentence_has_its_neighbours_as_window() -> None:
    text = "One is here. Two is here! Is three? Four."
    assert windows(text, window=1) == [
        ("One is here.", "One is here. Two is here!"),
        ("Two is here!", "One is here. Two is here! Is three?"),
        ("Is three?", "Two is here! Is three? Four."),
        ("Four.", "Is three? Four."),
    ]
    assert windows(text, sentences=3, window=0) == [("One is here. Two is here! Is three?",) * 2, ("Four.",) * 2]


def test_sentences_of_chinese_and_japanese_end_without_a_space() -> None:
    assert [text for text, _ in windows("商品可以退回。包裹必须完整！请保留收据？好。")] == [
        "商品可以退回。",
        "包裹必须完整！",
        "请保留收据？",
        "好。",
    ]
    assert [text for text, _ in windows("「保管してください。」はい。")] == ["「保管してください。」", "はい。"]


def test_a_window_does_not_cross_a_heading_and_a_heading_is_no_sentence() -> None:
    assert windows("# One\n\nFirst. Second.\n\n# Two\n\nThird.", window=5) == [
        ("# One\n\nFirst.", "# One\n\nFirst. Second."),
        ("Second.", "# One\n\nFirst. Second."),
        ("# Two\n\nThird.", "# Two\n\nThird."),
    ]


def test_numbers_and_abbreviations_end_no_sentence() -> None:
    assert [text for text, _ in windows("1. The first. And more.\n2. Dr. Smith says so, e.g. today.\n")] == [
        "1. The first.",
        "And more.",
        "2. Dr. Smith says so, e.g. today.",
    ]


@pytest.mark.parametrize("name", ["qa", "laws", "sentence_window"])
@pytest.mark.parametrize(
    "piece",
    [
        "Q: ",
        "Q: a?\n",
        "A:\n",
        "Article 5 ",
        "Article 5\n",
        "第一条",
        "第一条 ",
        "§ ",
        "# ",
        "Chapter I\n",
        "? ",
        "。",
        ". A",
        "1. ",
        "\n \n",
        "** ",
    ],
)
def test_hostile_text_is_cut_in_reasonable_time(name: str, piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    make_chunker(name).chunk(document(text))
    assert time.process_time() - start < 10
