"""Ingests and rebuilds that a publish overtakes, and going back to a version whose model cannot be had any more."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.cli.commands import app
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError, IngestError, VersionChanged
from ragspine_pg.ingest import change, versioning
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel
from tests.fixtures.spine import open_async_spine, open_spine
from tests.ingest.edition import answers, audited, document, documents, twin

FRESH: dict[str, Any] = {"analyzer": "simple", "profile": {"chunker_options": {"size": 150}}}


@pytest.fixture
def library(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    """A library with a version of another chunker and analyzer that can be published."""
    made = spine.create_library(request.node.name, "books")
    made.ingest(documents())
    made.rebuild(chunker_options={"size": 150}, analyzer="simple")
    return made


def overtaking(database: Database, library: Library, *, times: int = 1) -> Callable[[Progress], None]:
    """A progress callback that publishes another version when an ingest is about to take its locks."""

    def tell(progress: Progress) -> None:
        nonlocal times
        if progress.stage == "lock" and times:
            times -= 1
            with open_spine(database) as other:
                other.library(library.tenant, library.library_id).publish(1 if times % 2 else 2)

    return tell


def test_an_ingest_that_a_publish_overtakes_is_made_again_for_the_new_version(
    spine: RagSpine, database: Database, library: Library
) -> None:
    new = [document(1, 2), document(90), Document("none", "")]
    report = library.ingest(new, progress=overtaking(database, library))
    assert (report.version, report.added, report.changed, len(report.skipped)) == (2, 1, 1, 1)
    assert audited(database, library) == []
    stored = {item.id: item for item in [*documents(), *new[:2]]}
    assert answers(library) == answers(twin(spine, library, stored.values(), **FRESH))


def test_paths_are_read_again(database: Database, library: Library, tmp_path: Any) -> None:
    (tmp_path / "owl.txt").write_text("An owl sits there.", encoding="utf-8")
    readers = (name for name in ["group:staff"])
    report = library.ingest([tmp_path], readers=readers, progress=overtaking(database, library))
    assert (report.version, report.added) == (2, 1)
    assert audited(database, library) == []
    found = library.search("owl sits there", access=Access(library.tenant, {"group:staff"}))
    assert any(hit.document_id.endswith("owl.txt") for hit in found.hits)


def test_an_iterator_is_not_read_again_and_the_error_says_so(database: Database, library: Library) -> None:
    with pytest.raises(VersionChanged, match=r"nothing was stored.* new iterator") as caught:
        library.ingest(iter([document(90)]), progress=overtaking(database, library))
    assert caught.value.retryable
    assert isinstance(caught.value, IngestError)
    assert library.ingest(iter([document(90)])).added == 1


def test_an_ingest_is_not_made_again_for_ever(database: Database, library: Library) -> None:
    library.publish(2)
    with pytest.raises(VersionChanged):
        library.ingest([document(90)], progress=overtaking(database, library, times=4))
    assert audited(database, library) == []


def test_an_awaited_ingest_is_made_again_too(database: Database, library: Library) -> None:
    async def body() -> None:
        async with open_async_spine(database) as spine:
            books = spine.library(library.tenant, "books")
            tell = overtaking(database, library)
            assert (await books.ingest([document(90)], progress=tell)).version == 2
            tell = overtaking(database, library, times=2)
            with pytest.raises(VersionChanged):
                await books.ingest(iter([document(91)]), progress=tell)

    asyncio.run(body())


def test_a_rebuild_that_a_publish_overtakes_begins_again(
    database: Database, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = change.changed_profile
    overtaken: list[bool] = []

    def changed(*arguments: Any) -> Any:
        if not overtaken:
            overtaken.append(True)
            with open_spine(database) as other:
                other.library(library.tenant, "books").publish(2)
        return right(*arguments)

    monkeypatch.setattr(versioning, "changed_profile", changed)
    report = library.rebuild(k1=0.9)
    info = library.versions()[0]
    assert (report.version, info.version, info.analyzer, info.k1) == (3, 3, "simple", 0.9)


@pytest.fixture
def changed(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    """A library that was embedded by a model of an application's own, and is searched by words now."""
    made = spine.create_library(request.node.name, "books", embedding=WrittenModel())
    made.ingest([Document("a", "fox [1, 2]"), Document("b", "owl [2, 1]")])
    made.publish(made.rebuild(embedding="none").version)
    return made


def test_rolling_back_to_a_version_whose_model_is_gone_succeeds_and_warns(database: Database, changed: Library) -> None:
    with open_spine(database) as other:  # where nobody hands the model in
        library = other.library(changed.tenant, "books")
        info = library.rollback()
        assert (info.version, info.state) == (1, "published")
        assert "'written', which cannot be made here" in str(info.model_missing)
        (warning,) = info.warnings
        assert "'written'" in warning
        assert 'mode="economy" alone' in warning
        # and the warning says what is so:
        me = Access(changed.tenant, {"u"})
        assert library.search("fox", access=me, mode="economy").hits
        with pytest.raises(ConfigurationError, match="written"):
            library.search("fox", access=me)
        with pytest.raises(ConfigurationError, match="written"):
            library.ingest([Document("c", "crow [1, 1]")])
    assert changed.search("fox", access=me, mode="vector").hits
    assert (changed.rollback().warnings, changed.rollback().warnings) == ((), ())


def test_the_command_line_tells_of_the_missing_model(database: Database, changed: Library) -> None:
    url = {"RAGSPINE_INGEST_URL": database.ingest_url}
    told = CliRunner().invoke(app, ["rollback", f"{changed.tenant}/books"], env=url)
    assert told.exit_code == 0
    assert "version 1 is published" in told.stdout
    assert "'written'" in told.stderr


def test_a_version_that_lacks_documents_is_refused_without_its_model(database: Database, changed: Library) -> None:
    changed.ingest([Document("a", "fox [1, 3]")])
    wanted = r"version 1 of .* lacks 1 documents .*'written'.*embedding=\"none\""
    with open_spine(database) as other, pytest.raises(ConfigurationError, match=wanted):
        other.library(changed.tenant, "books").rollback()
    assert [version.state for version in changed.versions()] == ["published", "retired"]
    assert changed.rollback().warnings == ()
