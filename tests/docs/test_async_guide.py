"""What the guide to the awaited client shows works when it is pasted."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragspine_pg
from ragspine_pg.connect.embedded import EmbeddedServer
from tests.docs.blocks import blocks
from tests.docs.run import run_python

PAGE = Path(__file__).parents[2] / "docs/guide/async.md"


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


def test_every_awaited_name_is_mentioned() -> None:
    text = PAGE.read_text(encoding="utf-8")
    told_elsewhere = {"AsyncBoundRetriever", "AsyncNarrativeRetriever", "AsyncSearcher"}
    names = {name for name in ragspine_pg.__all__ if name.startswith("Async")} - told_elsewhere
    assert len(names) >= 7
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []
