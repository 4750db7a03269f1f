"""What the README shows works when it is pasted."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from tests.docs.blocks import Block, blocks
from tests.docs.run import run_python, run_sql

README = Path(__file__).parents[2] / "README.md"
GUIDE = README.parent / "docs/guide/sql.md"
# Pages whose snippets begin with opening the store: they can be pasted anywhere, in any order.
PAGES = [
    README,
    *(GUIDE.parent / f"{page}.md" for page in ("async", "documents", "evaluation", "retrieval", "search", "targets")),
]


def in_any_order(snippets: list[Block]) -> list[Block]:
    """Each after every other, and each twice."""
    return [*snippets, *reversed(snippets)]


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home for the embedded server that every account can pass through."""
    folder = Path(tempfile.mkdtemp(prefix="ragspine readme "))
    folder.chmod(0o711)
    yield folder / "home"
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def after_python(home: Path) -> Iterator[EmbeddedServer]:
    """The server as the README's Python leaves it."""
    home.mkdir(mode=0o711)
    with EmbeddedServer.open(home, durable=False) as server:
        done = run_python(in_any_order(blocks(README, "python")), home, apart=True)
        assert (done.returncode, done.stderr) == (0, "")
        yield server


def test_readme_shows_python_and_sql() -> None:
    assert blocks(README, "python")
    assert blocks(README, "sql")


def test_python_of_the_readme_runs(after_python: EmbeddedServer) -> None:
    assert after_python.grant_key is not None


def test_what_can_be_pasted_runs_in_any_order_on_one_home(passable: Path) -> None:
    home = passable / "home"
    snippets = [block for page in PAGES for block in blocks(page, "python")]
    assert len(snippets) == 12
    with EmbeddedServer.open(home, durable=False):
        done = run_python(in_any_order(snippets), home, apart=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", [README, GUIDE], ids=["README", "guide"])
def test_sql_finds_what_the_python_of_the_readme_stored(after_python: EmbeddedServer, page: Path) -> None:
    snippets = blocks(page, "sql")
    assert snippets
    for block in snippets:
        rows = run_sql(block, after_python)
        assert any(row[0] is not None and len(row) > 1 for result in rows for row in result), f"line {block.line}"
        if "query_embedding" in block.code:
            # By words nothing of this would be found: the passage is Italian, the question English.
            assert "resi" in rows[-1][0], f"line {block.line}"


def test_snippets_run_has_teeth(after_python: EmbeddedServer, home: Path) -> None:
    good = Block("python", 1, "answer = 6 * 7\n")
    uses = Block("python", 5, "assert answer == 42\n")
    wrong = Block("python", 9, "import ragspine_pg\nragspine_pg.no_such_name\n")
    assert run_python([good, uses], home).returncode == 0
    assert run_python([good, uses], home, apart=True).returncode == 1
    failed = run_python([good, wrong], home)
    assert failed.returncode == 1
    assert "snippet in line 9" in failed.stderr
    assert run_sql(Block("sql", 1, "SELECT ragspine.assume($1);\nSELECT 1, 2;\n"), after_python)[1] == [(1, 2)]
    with pytest.raises(psycopg.errors.UndefinedFunction):
        run_sql(Block("sql", 1, "SELECT ragspine.no_such_function();\n"), after_python)
