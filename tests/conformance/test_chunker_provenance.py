"""Every chunker: its chunks are honest slices of their document, all of it, in order, with real locators."""

import dataclasses
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg.chunking import CHUNKERS, MAX_CHUNK_LENGTH, check_provenance, make_chunker
from ragspine_pg.contract.chunk import Chunk, Span
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.locator import Locator
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.errors import VerificationFailed
from tests.chunking_texts import TEXTS, document

CHUNKER_IMPLS: dict[str, Callable[[], Chunker]] = {
    **{name: lambda name=name: make_chunker(name) for name in CHUNKERS},  # type: ignore[misc]
    "default small": lambda: make_chunker("default", size=40),
    "default overlapping": lambda: make_chunker("default", size=60, overlap=20),
    "layout small": lambda: make_chunker("layout", size=40),
    "layout overlapping": lambda: make_chunker("layout", size=60, overlap=30),
    "parent_child small": lambda: make_chunker("parent_child", size=50, overlap=10),
    "sentence_window of two": lambda: make_chunker("sentence_window", sentences=2, window=1),
    "sentence_window alone": lambda: make_chunker("sentence_window", window=0),
    "qa small": lambda: make_chunker("qa", size=40),
    "laws small": lambda: make_chunker("laws", size=40),
    "default of one": lambda: make_chunker("default", size=1),
}

# Signs that mean something to a chunker, in any order.
_LAYOUT = [
    "# ",
    "## ",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "\t",
    "    ",
    "- ",
    "1. ",
    "1.2 ",
    "```\n",
    "---\n",
    "===\n",
    "> ",
    "|a|b|\n",
]
_WORDS = [
    "第一章 ",
    "第2条　",
    "。",
    "！",
    ". ",
    "? ",
    "word",
    "Città",
    "日本語",
    "한국어",
    "title: x\n",
    "Q: ",
    "A: ",
    "问：",
    "Article 5 ",
    "§ 3\n",
    "Chapter II\n",
    "第十二条　",
    "<div>",
    "[",
    "](",
    "`",
    "**",
]
_ODDITIES = ["e\u0301", "👩\u200d👩\u200d👧", "🇮🇹", "\u3000", "\x0b", "\u2028", "\ufeff", "\u200b"]
_SIGNS = st.sampled_from([*_LAYOUT, *_WORDS, *_ODDITIES])
TEXT = st.one_of(
    st.lists(_SIGNS, max_size=60).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)


def assert_provenance(chunker: Chunker, given_document: Document) -> None:
    """The core: written out here, apart from the check the pipeline uses, and seeing to it that it saw something."""
    text = given_document.text
    chunks = chunker.chunk(given_document)
    if text.strip():
        assert chunks
    else:
        assert [chunk.text for chunk in chunks] == ([""] if given_document.title.strip() else [])
    covered = [False] * len(text)
    for chunk in chunks:
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert Locator.parse(chunk.locator).verify(text)
        assert (Locator.parse(chunk.locator).start, Locator.parse(chunk.locator).end) == (
            chunk.span.start,
            chunk.span.end,
        )
        assert bool(chunk.parent_locator) == bool(chunk.window_text)
        if chunk.parent_locator:
            window = Locator.parse(chunk.parent_locator)
            assert window.verify(text)
            assert chunk.window_text == text[window.start : window.end]
            assert window.start <= chunk.span.start <= chunk.span.end <= window.end
        covered[chunk.span.start : chunk.span.end] = [True] * len(chunk.text)
    starts = [chunk.span.start for chunk in chunks]
    assert starts == sorted(set(starts))
    assert all(covered[at] for at, sign in enumerate(text) if not sign.isspace())
    assert chunks == chunker.chunk(dataclasses.replace(given_document))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("name", CHUNKER_IMPLS)
def test_chunks_are_verbatim_ordered_and_complete(name: str, text: str) -> None:
    assert_provenance(CHUNKER_IMPLS[name](), document(text))


@pytest.mark.parametrize("name", CHUNKER_IMPLS)
@settings(max_examples=40, deadline=None)
@given(text=TEXT)
def test_any_text_keeps_its_provenance(name: str, text: str) -> None:
    chunker = CHUNKER_IMPLS[name]()
    assert_provenance(chunker, document(text))
    check_provenance(document(text), chunker.chunk(document(text)))


@pytest.mark.parametrize("name", CHUNKER_IMPLS)
def test_title_without_text_is_one_empty_chunk(name: str) -> None:
    chunker = CHUNKER_IMPLS[name]()
    for blank in ("", " \n\t\u3000\n"):
        chunks = chunker.chunk(document(blank, title="Returns"))
        assert [(chunk.text, chunk.span, chunk.parent_locator) for chunk in chunks] == [("", Span(0, 0), "")]
        assert chunker.chunk(document(blank)) == []
        check_provenance(document(blank, title="Returns"), chunks)


@pytest.mark.parametrize("name", CHUNKER_IMPLS)
def test_fingerprint_and_target_are_stated(name: str) -> None:
    chunker = CHUNKER_IMPLS[name]()
    assert chunker.fingerprint.startswith(chunker.name + "/")
    assert chunker.fingerprint == CHUNKER_IMPLS[name]().fingerprint
    assert 1 <= chunker.target_length <= MAX_CHUNK_LENGTH


class _Faulty:
    """``layout`` with one planted fault."""

    name = "faulty"
    fingerprint = "faulty/1"
    target_length = 40

    def __init__(self, fault: Callable[[Document, list[Chunk]], list[Chunk]]) -> None:
        self._fault = fault

    def chunk(self, document: Document) -> list[Chunk]:
        return self._fault(document, make_chunker("parent_child", size=40).chunk(document))


def _each(change: Callable[[Chunk], Chunk]) -> Callable[[Document, list[Chunk]], list[Chunk]]:
    return lambda document, chunks: [change(chunk) for chunk in chunks]


FAULTS: dict[str, Callable[[Document, list[Chunk]], list[Chunk]]] = {
    "rewrites the text": _each(lambda chunk: dataclasses.replace(chunk, text=" ".join(chunk.text.split()))),
    "lowers the text": _each(lambda chunk: dataclasses.replace(chunk, text=chunk.text.lower())),
    "trims the document first": lambda document, chunks: make_chunker("default").chunk(
        dataclasses.replace(document, text=document.text[1:])
    ),
    "counts bytes": lambda document, chunks: [
        dataclasses.replace(
            chunk,
            span=Span(len(document.text[: chunk.span.start].encode()), len(document.text[: chunk.span.end].encode())),
        )
        for chunk in chunks
    ],
    "drops the last chunk": lambda document, chunks: chunks[:-1],
    "drops a chunk inside": lambda document, chunks: chunks[:1] + chunks[2:],
    "repeats a chunk": lambda document, chunks: chunks[:1] + chunks,
    "turns the order": lambda document, chunks: chunks[::-1],
    "makes nothing": lambda document, chunks: [],
    "a locator that is merely not empty": _each(lambda chunk: dataclasses.replace(chunk, locator="page 1")),
    "a locator of elsewhere": lambda document, chunks: [
        dataclasses.replace(chunk, locator=chunks[0].locator) for chunk in chunks
    ],
    "a window of elsewhere": lambda document, chunks: [
        dataclasses.replace(chunk, parent_locator=chunks[-1].parent_locator, window_text=chunks[-1].window_text)
        for chunk in chunks
    ],
    "a window text that is cut": _each(lambda chunk: dataclasses.replace(chunk, window_text=chunk.window_text[:-1])),
    "a window without its place": _each(lambda chunk: dataclasses.replace(chunk, parent_locator="")),
    "a locator whose hash is another text's": _each(
        lambda chunk: dataclasses.replace(chunk, parent_locator=chunk.parent_locator[:-64] + "0" * 64)
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_provenance_core_has_teeth(fault: str) -> None:
    broken = _Faulty(FAULTS[fault])
    # At least one of our texts shows the fault; byte offsets, for one, are right in pure ASCII.
    failures = 0
    for text in TEXTS.values():
        try:
            assert_provenance(broken, document(text))
        except (AssertionError, ValueError):
            failures += 1
    assert failures


@pytest.mark.parametrize("fault", FAULTS)
def test_check_before_writing_has_teeth(fault: str) -> None:
    broken = _Faulty(FAULTS[fault])
    refused = []
    for text in TEXTS.values():
        try:
            check_provenance(document(text), broken.chunk(document(text)))
        except VerificationFailed as error:
            refused.append(error)
    assert refused
    for refusal in refused:
        assert refusal.ids["document"] == "handbook"
        assert "Goods" not in str(refusal)
        assert "退" not in str(refusal)


def test_chunk_too_rich_for_the_store_is_refused_before_writing() -> None:
    text = " ".join(f"w{number}" for number in range(30_000))
    with pytest.raises(VerificationFailed, match="16,000"):
        check_provenance(document(text), [Chunk.of(text, 0, len(text))])
