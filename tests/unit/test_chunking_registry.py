"""Chunkers by name, by entry point, and handed in."""

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from ragspine_pg.chunking import (
    DefaultChunker,
    LawsChunker,
    LayoutAwareChunker,
    ParentChildChunker,
    QuestionAnswerChunker,
    SentenceWindowChunker,
    WholeChunker,
    make_chunker,
    registry,
)
from ragspine_pg.errors import ConfigurationError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("default", DefaultChunker),
        ("whole", WholeChunker),
        ("layout", LayoutAwareChunker),
        ("parent_child", ParentChildChunker),
        ("small_to_big", ParentChildChunker),
        ("sentence_window", SentenceWindowChunker),
        ("qa", QuestionAnswerChunker),
        ("laws", LawsChunker),
    ],
)
def test_each_name_makes_its_chunker(name: str, kind: type) -> None:
    assert type(make_chunker(name)) is kind


def test_alias_makes_the_same_chunks_under_the_same_fingerprint() -> None:
    assert make_chunker("small_to_big", size=300).fingerprint == make_chunker("parent_child", size=300).fingerprint


def test_every_policy_has_a_fingerprint_of_its_own() -> None:
    made = [make_chunker("default"), make_chunker("layout"), make_chunker("parent_child"), make_chunker("whole")]
    made += [make_chunker("qa"), make_chunker("laws"), make_chunker("qa", size=300), make_chunker("laws", size=300)]
    made += [make_chunker("sentence_window"), make_chunker("sentence_window", window=1)]
    made += [make_chunker("default", size=800), make_chunker("default", size=800, overlap=80)]
    assert len({chunker.fingerprint for chunker in made}) == len(made)


def test_parent_child_overrides_the_hook_only() -> None:
    own = {name for name in vars(ParentChildChunker) if not name.startswith("__")}
    assert own == {"_child_extra", "name"}


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="default, whole, layout, parent_child, small_to_big"):
        make_chunker("semantic")


def test_unknown_option_is_named() -> None:
    with pytest.raises(ConfigurationError, match="length"):
        make_chunker("default", length=3)
    with pytest.raises(ConfigurationError, match="size"):
        make_chunker("whole", size=3)
    with pytest.raises(ConfigurationError, match="overlap"):
        make_chunker("laws", overlap=3)
    with pytest.raises(ConfigurationError, match="window"):
        make_chunker("sentence_window", window=-1)
    with pytest.raises(ConfigurationError, match="12000"):
        make_chunker("layout", size=10**9)


def test_chunker_handed_in_is_used_as_it_is() -> None:
    own = LayoutAwareChunker(size=77)
    assert make_chunker(own) is own
    with pytest.raises(ConfigurationError):
        make_chunker(own, size=3)
    with pytest.raises(ConfigurationError):
        make_chunker(object())  # type: ignore[arg-type]


def test_entry_point_of_another_distribution_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = EntryPoints(
        [
            EntryPoint("by_page", "ragspine_pg.chunking.layout:LayoutAwareChunker", registry.ENTRY_POINT_GROUP),
            EntryPoint("default", "builtins:dict", registry.ENTRY_POINT_GROUP),
            EntryPoint("broken", "builtins:dict", registry.ENTRY_POINT_GROUP),
        ]
    )

    def entry_points(**selection: Any) -> EntryPoints:
        return offered.select(**selection)

    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert make_chunker("by_page", size=50).fingerprint == "layout/1;size=50;overlap=0"
    assert isinstance(make_chunker("default"), DefaultChunker)  # ours come first
    with pytest.raises(ConfigurationError, match="no chunker"):
        make_chunker("broken")
    with pytest.raises(ConfigurationError, match="by_page"):
        make_chunker("unknown")
