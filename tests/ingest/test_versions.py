"""A rebuild indexes the same documents in another way; publish and rollback change over, and lose nothing."""

from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import (
    ConfigurationError,
    EnvironmentChanged,
    IngestError,
    NotFound,
    QueryError,
    VerificationFailed,
    VersionNotReady,
)
from ragspine_pg.ingest import catch_up, embed
from tests.fixtures.database import Database
from tests.ingest.edition import (
    answers,
    audited,
    chunks_by_version,
    document,
    documents,
    owner,
    twin,
    vectors_by_version,
)
from tests.ingest.version_cases import CASES, MEASURED


@pytest.fixture
def library(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    """A library of a tenant of the test's own, filled, with vectors."""
    made = spine.create_library(request.node.name, "books", embedding="hashing", fields={"year": "number"})
    made.ingest(documents())
    return made


def states(library: Library) -> dict[int, str]:
    return {version.version: version.state for version in library.versions()}


@pytest.mark.parametrize("batch", [(1000, 4_000_000), (5, 1500)], ids=["whole", "batches"])
@pytest.mark.parametrize("case", [*CASES, *MEASURED])
def test_a_rebuild_answers_as_a_library_made_afresh(
    spine: RagSpine, database: Database, monkeypatch: pytest.MonkeyPatch, case: str, batch: tuple[int, int]
) -> None:
    monkeypatch.setattr(catch_up, "BATCH", batch)
    monkeypatch.setattr(catch_up, "EMBEDDED_BATCH", batch)
    made, changes, fresh = {**CASES, **MEASURED}[case]
    rights: dict[str, Any] = {"readers": None, "sensitivity": "INTERNAL"} if case in MEASURED else {}
    stored = documents(**rights)
    library = spine.create_library(f"{case} {batch[0]}", "books", **made)
    library.ingest(stored)
    before = answers(library)
    report = library.rebuild(**changes)
    assert (report.version, report.resumed, report.documents) == (2, False, len(stored))
    assert answers(library) == before, "a rebuild alone changes no answer"
    assert states(library) == {2: "verified", 1: "published"}
    published = library.publish(2)
    assert (published.state, published.pending) == ("published", 0)
    kept = {} if case == "statistics by class" else {1: "retired"}
    assert states(library) == {2: "published", **kept}
    assert answers(library) == answers(twin(spine, library, stored, **fresh))
    assert report.chunks == chunks_by_version(database, library)[2]
    assert audited(database, library) == []
    assert all(hit.index_version == 2 for hit in search(library).hits)


def test_a_measured_pivot_is_that_of_what_is_published(spine: RagSpine, database: Database) -> None:
    rights: dict[str, Any] = {"readers": None, "sensitivity": "INTERNAL"}
    library = spine.create_library("measured", "books", profile={"pivot": "measured"})
    library.ingest(documents(12, **rights))
    library.rebuild(chunker_options={"size": 150})
    built = library.versions()[0].pivot
    stored = documents(24, edition=2, **rights)
    library.ingest(stored)
    published = library.publish(2)
    assert published.pivot != built
    profile = {"pivot": "measured", "chunker_options": {"size": 150}}
    assert answers(library) == answers(twin(spine, library, stored, profile=profile))
    assert audited(database, library) == []
    library.ingest([document(50, **rights)])
    library.rollback()
    assert audited(database, library) == []


def search(library: Library, query: str = "foxes at night", **options: Any) -> Any:
    return library.search(query, access=Access(library.tenant, {"group:staff"}), **options)


def test_what_is_not_named_stays_and_a_default_pivot_follows(library: Library) -> None:
    first = library.versions()[0]
    library.rebuild(k1=0.5, chunker_options={"size": 240})
    second = library.versions()[0]
    assert (second.k1, second.b, second.analyzer) == (0.5, first.b, first.analyzer)
    assert second.profile["embedding"] == first.profile["embedding"]
    assert (first.pivot, second.pivot) == (100, 24)
    library.publish(2)
    library.rebuild(pivot=77)
    library.publish(3)
    library.rebuild(chunker="default")
    assert library.versions()[0].pivot == 77, "a pivot that was chosen stays"


def test_only_what_was_verified_is_published(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = answers(library)

    def interrupt(progress: Progress) -> None:
        if progress.stage == "index" and progress.done:
            raise KeyboardInterrupt

    monkeypatch.setattr(catch_up, "EMBEDDED_BATCH", (5, 10_000))
    with pytest.raises(KeyboardInterrupt):
        library.rebuild(analyzer="simple", progress=interrupt)
    assert states(library) == {2: "building", 1: "published"}
    assert library.versions()[0].pending == 19
    with pytest.raises(VersionNotReady, match="building"):
        library.publish(2)
    for unknown in (3, 0, -1, 2**40):
        with pytest.raises(NotFound, match=f"no version {unknown} of"):
            library.publish(unknown)
    with pytest.raises(ConfigurationError):
        library.publish("2")  # type: ignore[arg-type]
    assert answers(library) == before
    report = library.rebuild(analyzer="simple")
    assert (report.version, report.resumed, report.documents) == (2, True, 19)
    library.publish(2)
    assert library.publish(2).state == "published", "once more is harmless"
    assert states(library) == {2: "published", 1: "retired"}


def test_a_rebuild_with_another_profile_drops_what_was_never_published(library: Library, database: Database) -> None:
    library.rebuild(analyzer="simple")
    assert library.rebuild(analyzer="simple").resumed
    assert library.rebuild(analyzer="cjk").version == 3
    assert states(library) == {3: "verified", 1: "published"}
    assert set(chunks_by_version(database, library)) == {1, 3}
    assert audited(database, library) == []


def test_rollback_gives_the_earlier_answers_with_the_documents_of_today(spine: RagSpine, database: Database) -> None:
    library = spine.create_library("back", "books")
    library.ingest(documents())
    before = answers(library)
    library.rebuild(chunker="parent_child", analyzer="simple", embedding="hashing")
    library.publish(2)
    after = answers(library)
    assert after != before
    assert library.rollback().version == 1
    assert states(library) == {2: "retired", 1: "published"}
    assert answers(library) == before
    assert library.rollback().version == 2, "a second one undoes the first"
    assert answers(library) == after
    later = documents(30, edition=2)
    library.ingest(later)
    library.delete("d1")
    library.relabel("d2", readers={"group:x"})
    kept = [item for item in later if item.id not in ("d1", "d2")] + [document(2, 2, readers={"group:x"})]
    assert {version.version: version.pending for version in library.versions()} == {2: 0, 1: 21}
    library.rollback()
    assert answers(library) == answers(twin(spine, library, kept))
    assert audited(database, library) == []


def test_rollback_needs_an_earlier_version(library: Library) -> None:
    with pytest.raises(NotFound, match="no earlier version"):
        library.rollback()


def test_the_two_versions_that_were_retired_last_are_kept(library: Library, database: Database) -> None:
    for number, size in enumerate((300, 310, 320), start=2):
        library.rebuild(chunker_options={"size": size})
        library.publish(number)
    assert states(library) == {4: "published", 3: "retired", 2: "retired"}
    assert set(chunks_by_version(database, library)) == {2, 3, 4}
    library.rollback()
    library.rebuild(chunker_options={"size": 330})
    library.publish(5)
    assert states(library) == {5: "published", 4: "retired", 3: "retired"}
    leftovers = owner(
        database,
        "SELECT count(*)::int FROM ragspine.lexeme_stat AS s"
        " WHERE NOT EXISTS (SELECT FROM ragspine.index_version AS v WHERE v.version_no = s.version_no)",
    )
    assert leftovers == [(0,)]
    assert audited(database, library) == []


def test_a_cursor_goes_on_in_a_retired_version_and_says_when_it_is_gone(library: Library) -> None:
    whole = [hit.chunk_id for hit in search(library, k=12).hits]
    first = search(library, k=4)
    library.rebuild(chunker_options={"size": 150}, analyzer="simple")
    library.publish(2)
    second = search(library, k=4, after=first.cursor)
    third = search(library, k=4, after=second.cursor)
    assert second.index_versions == third.index_versions == {"books": 1}
    assert [hit.chunk_id for page in (first, second, third) for hit in page.hits] == whole
    for number in (3, 4):
        library.rebuild(chunker_options={"size": 150 + number})
        library.publish(number)
    with pytest.raises(QueryError, match="no longer kept"):
        search(library, k=4, after=second.cursor)


def test_vectors_of_what_is_not_embedded_are_in_no_version(library: Library, database: Database) -> None:
    library.rebuild(chunker_options={"size": 150})
    assert all(vectors_by_version(database, library, "d2").values())
    library.relabel("d2", sensitivity="RESTRICTED")
    assert vectors_by_version(database, library, "d2") == {1: 0, 2: 0}
    library.relabel("d2", sensitivity="INTERNAL")
    assert library.versions()[0].pending == 1, "the version that is not published must embed it once more"
    library.publish(2)
    assert all(vectors_by_version(database, library, "d2").values()), "the retired one too, or it is pending there"
    assert audited(database, library) == []


def test_a_version_that_fails_its_checks_is_never_published(
    library: Library, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = vector_text
    monkeypatch.setattr(embed, "vector_text", lambda vector: right([-part for part in vector]))
    with pytest.raises(VerificationFailed, match="its vector is not that of its text"):
        library.rebuild()
    assert states(library) == {2: "failed", 1: "published"}
    with pytest.raises(VersionNotReady, match="did not pass its checks"):
        library.publish(2)
    monkeypatch.setattr(embed, "vector_text", right)
    report = library.rebuild()
    assert (report.version, report.resumed) == (3, False)
    assert states(library) == {3: "verified", 1: "published"}


def test_a_rebuild_reports_what_it_cost(library: Library) -> None:
    stages: list[str] = []
    report = library.rebuild(chunker_options={"size": 150}, progress=lambda progress: stages.append(progress.stage))
    assert report.usage.items > report.chunks > 24
    assert report.seconds > 0
    assert stages[0] == "index"
    assert stages[-1] == "check"


@pytest.mark.parametrize(
    "wrong",
    [
        {"analyzer": "klingon"},
        {"analyzer": ""},
        {"analyzer": 3},
        {"chunker": "no such"},
        {"chunker_options": {"no": 1}},
        {"chunker_options": 5},
        {"chunker_options": {1: 2}},
        {"embedding_options": [1]},
        {"embedding": "no such"},
        {"k1": -1},
        {"b": 2},
        {"pivot": "often"},
        {"fusion": "no such"},
        {"embed_confidential": 1},
        {"title_weight": 0},
        {"title_weight": 11},
        {"title_weight": 1.5},
        {"title_weight": True},
        {"title_weight": "2"},
    ],
)
def test_a_wrong_change_is_refused_and_makes_no_version(library: Library, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        library.rebuild(**wrong)
    assert states(library) == {1: "published"}


def test_a_measured_pivot_is_refused_for_two_classes(library: Library) -> None:
    with pytest.raises(IngestError, match="same readers"):
        library.rebuild(pivot="measured")
    assert states(library) == {1: "published"}


def test_a_version_of_another_environment_is_not_published_but_rebuilt(library: Library, database: Database) -> None:
    library.rebuild(analyzer="simple")
    owner(
        database,
        "UPDATE ragspine.index_version AS v SET environment = 'postgresql 9, libc C'"
        " FROM ragspine.tenant AS t WHERE t.tenant_no = v.tenant_no AND t.tenant = %(tenant)s",
        tenant=library.tenant,
    )
    with pytest.raises(EnvironmentChanged):
        search(library)
    with pytest.raises(EnvironmentChanged):
        library.publish(2)
    report = library.rebuild(analyzer="simple")
    assert (report.version, report.resumed) == (3, False)
    library.publish(3)
    assert search(library).hits
    with pytest.raises(EnvironmentChanged):
        library.rollback()


def test_in_a_transaction_of_the_callers_it_is_all_or_nothing(library: Library, database: Database) -> None:
    with (
        psycopg.connect(database.ingest_url) as connection,
        RagSpine.open(database.reader_url, ingest=connection, grant_key=database.grant_key) as lent,
    ):
        theirs = lent.library(library.tenant, library.library_id)
        connection.execute("SELECT 1")
        theirs.rebuild(chunker_options={"size": 150})
        theirs.publish(2)
        assert states(library) == {1: "published"}
        connection.rollback()
        assert states(theirs) == {1: "published"}
        connection.rollback()
        connection.execute("SELECT 1")
        theirs.rebuild(chunker_options={"size": 150})
        theirs.publish(2)
        connection.commit()
    assert states(library) == {2: "published", 1: "retired"}
    assert audited(database, library) == []


def test_a_chunker_of_the_applications_own_is_handed_in(spine: RagSpine, library: Library, database: Database) -> None:
    from ragspine_pg.chunking.general import DefaultChunker

    class Own(DefaultChunker):
        name = "own"

        @property
        def fingerprint(self) -> str:
            return "own-1"

    library.rebuild(chunker=Own(size=200))
    library.publish(2)
    library.ingest([Document("late", "Foxes again.")], chunker=Own(size=200))
    library.rollback()
    library.ingest([Document("later", "Foxes once more.")])
    with pytest.raises(ConfigurationError):
        library.rollback()
    assert library.rollback(chunker=Own(size=200)).version == 2
    with pytest.raises(ConfigurationError):
        library.rebuild(k1=1)
    assert audited(database, library) == []
