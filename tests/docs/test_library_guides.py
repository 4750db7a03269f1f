"""What the guides on embedding and on index versions show works on a library of that name."""

from pathlib import Path

import pytest

from ragspine_pg import Access, Document, RagSpine
from tests.docs.blocks import blocks

GUIDE = Path(__file__).parents[2] / "docs/guide"


@pytest.mark.parametrize("page", ["embedding.md", "versions.md"])
def test_python_of_the_guide_runs(fresh_spine: RagSpine, page: str) -> None:
    fresh_spine.create_library("acme", "handbook").ingest([Document("returns", "Returns are accepted within 30 days.")])
    snippets = blocks(GUIDE / page, "python")
    assert snippets
    names = {"spine": fresh_spine}
    for snippet in snippets:
        exec(compile(snippet.code, f"{page}, line {snippet.line}", "exec"), names)
    if page == "embedding.md":
        faq = fresh_spine.library("acme", "faq")
        faq.ingest([Document("returns", "Returns are accepted within 30 days.")])
        assert faq.search("resi", access=Access("acme", {"user:me"})).mode == "hybrid"
    else:
        states = [(version.version, version.state) for version in fresh_spine.library("acme", "handbook").versions()]
        assert states == [(2, "retired"), (1, "published")]
