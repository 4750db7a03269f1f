"""A rebuild whose checks fail while its version is being published takes nothing away from what is published."""

import threading
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, Embedded, EmbeddingTask, RagSpine
from ragspine_pg.errors import VerificationFailed
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel
from tests.fixtures.spine import open_spine


class Turning(WrittenModel):
    """Gives other vectors from a moment on, and waits before it does."""

    def __init__(self) -> None:
        super().__init__(3)
        self.turned = False
        self.asked, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Any = None) -> Embedded:
        right = super().embed(texts, task, deadline=deadline)
        if not self.turned:
            return right
        self.asked.set()
        assert self.go_on.wait(30)
        return Embedded([[1.0, 0.0, 0.0]] * len(texts), right.usage)


def test_a_version_that_is_just_being_published_is_not_failed(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    tenant, model = request.node.name, Turning()
    library = spine.create_library(tenant, "books")
    library.ingest(Document(f"d{n}", f"fox {n} [1, {n}, 0]") for n in range(5))
    version = library.rebuild(embedding=model).version
    model.turned = True
    raised: list[BaseException] = []

    def rebuild() -> None:
        try:
            library.rebuild(embedding=model)
        except VerificationFailed as error:
            raised.append(error)

    checking = threading.Thread(target=rebuild)
    checking.start()
    assert model.asked.wait(30)
    with psycopg.connect(database.ingest_url) as lent:
        lent.execute("SELECT 1")  # a transaction of the application's, which the publish joins
        with RagSpine.open(database.reader_url, ingest=lent, grant_key=database.grant_key) as other:
            other.ingestor._models.add(WrittenModel(3))
            other.library(tenant, "books").publish(version)
            model.go_on.set()
            checking.join(1)
            lent.commit()
    checking.join(30)
    assert not checking.is_alive()
    assert {found.version: found.state for found in library.versions()} == {version: "published", 1: "retired"}
    with open_spine(database) as reader:
        assert reader.search("fox", access=Access(tenant, {"u"}), mode="economy").hits
    library.rollback()
