"""What the guide to retrieval shows works when it is pasted."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.retrieval.filtering import ControlledVocabFilterExtractor
from ragspine_pg.retrieval.filtering.registry import FILTER_EXTRACTORS
from ragspine_pg.retrieval.rerank.registry import RERANKERS
from ragspine_pg.retrieval.routing.registry import LIBRARY_ROUTERS
from tests.docs.blocks import blocks
from tests.docs.run import run_python

PAGE = Path(__file__).parents[2] / "docs/guide/retrieval.md"


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ragspine guide "))
    folder.chmod(0o711)
    (folder / "home").mkdir(mode=0o711)
    yield folder / "home"
    shutil.rmtree(folder)


def test_the_snippet_runs(home: Path) -> None:
    (snippet,) = blocks(PAGE, "python")
    assert "assert" in snippet.code
    with EmbeddedServer.open(home, durable=False):
        done = run_python([snippet], home)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_vocabulary_is_one() -> None:
    (shown,) = blocks(PAGE, "json")
    found = ControlledVocabFilterExtractor(json.loads(shown.code)).extract("iOS, 2024")
    assert found is not None
    assert [condition.field for condition in found.conditions] == ["platform", "year"]


def test_every_implementation_is_named() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in {*LIBRARY_ROUTERS, *FILTER_EXTRACTORS, *RERANKERS}:
        assert f"`{name}`" in text
