"""A search begins with what its caller's libraries were when last seen (``SeenLibraries``). Where they are something
else by now it is made again: no error, and no second payment, comes of the guess."""

import threading
from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine, VectorStore
from ragspine_pg.client.library import Library
from ragspine_pg.embedding.known import KnownModels, embedding_profile
from ragspine_pg.errors import DeadlineExceeded, QueryError
from ragspine_pg.retrieval.embed import SeenLibraries
from ragspine_pg.statement.search import LibraryRow
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel
from tests.fixtures.spine import open_spine

QUERY = "fox [1, 2]"


@pytest.fixture
def me(request: pytest.FixtureRequest) -> Access:
    """Somebody in a tenant of the test's own."""
    return Access(request.node.name, {"user:me"})


def fox(spine: RagSpine, me: Access, model: WrittenModel) -> Library:
    """A library of one document, embedded by ``model``."""
    made = spine.create_library(me.tenant, "one", embedding=model)
    made.ingest([Document("f", "fox [1, 0]")])
    return made


def rebuilt_elsewhere(database: Database, made: Library, embedding: Any) -> None:
    """By another process, as far as this one's memory goes."""
    with open_spine(database) as other:
        there = other.library(made.tenant, made.library_id)
        there.publish(there.rebuild(embedding=embedding).version)


def test_a_least_score_that_is_now_of_one_leg(spine: RagSpine, database: Database, me: Access) -> None:
    made = fox(spine, me, WrittenModel())
    with pytest.raises(QueryError, match="two run"):
        made.search(QUERY, access=me, min_score=0.1)
    rebuilt_elsewhere(database, made, "none")
    assert made.search(QUERY, access=me, min_score=0.1).hits


def test_a_vector_in_the_space_that_is_now_searched(spine: RagSpine, database: Database, me: Access) -> None:
    old, new = WrittenModel(name="old"), WrittenModel(name="new")
    made = fox(spine, me, old)
    store = VectorStore(spine)
    assert store.search([1, 2], query_space=old.space.fingerprint, access=me).hits
    rebuilt_elsewhere(database, made, new)
    assert store.search([1, 2], query_space=new.space.fingerprint, access=me).hits
    with pytest.raises(QueryError, match="query_space"):
        store.search([1, 2], query_space=old.space.fingerprint, access=me)


def test_of_one_space_a_query_is_embedded_once(spine: RagSpine, database: Database, me: Access) -> None:
    model = WrittenModel()
    made = fox(spine, me, model)
    made.search(QUERY, access=me)
    rebuilt_elsewhere(database, made, model)  # another version of the same space
    model.seen.clear()
    result = made.search(QUERY, access=me)
    assert result.hits
    assert model.seen == [QUERY]
    assert (result.usage.calls, result.usage.items) == (1, 1)


def test_a_guess_whose_model_takes_too_long_is_forgotten(spine: RagSpine, database: Database, me: Access) -> None:
    """The model may be one that the library has left since."""
    old, new = WrittenModel(name="old"), WrittenModel(name="new")
    made = fox(spine, me, old)
    made.search(QUERY, access=me)
    rebuilt_elsewhere(database, made, new)
    spine._models.known.add(new)
    old.failure = DeadlineExceeded("the deadline passed")
    with pytest.raises(DeadlineExceeded):
        made.search(QUERY, access=me)
    assert made.search(QUERY, access=me).hits


def test_no_query_goes_to_a_service_that_the_library_has_left(spine: RagSpine, database: Database, me: Access) -> None:
    service, house = WrittenModel(name="service", remote=True), WrittenModel(name="house")
    made = fox(spine, me, service)
    made.search(QUERY, access=me)
    rebuilt_elsewhere(database, made, house)
    spine._models.known.add(house)
    service.seen.clear()
    assert made.search(QUERY, access=me).hits
    assert service.seen == []


def row(number: int) -> LibraryRow:
    return LibraryRow(f"l{number}", 1, number, "simple", {}, None, None, None)


def test_what_is_remembered_is_bounded_by_libraries_and_not_by_callers() -> None:
    seen = SeenLibraries()
    for caller in range(300):
        seen.store(caller, [row(number) for number in range(100)])
        seen.store(caller, [row(number) for number in range(100)])  # once more is not twice as much
    kept = [caller for caller in range(300) if seen.find(caller) is not None]
    assert kept == list(range(300 - 81, 300))
    for caller in range(300, 9000):
        seen.store(caller, [])
    assert seen.find(299) is None
    assert seen.find(8999) == ()


def test_a_vector_longer_than_any_space_is_refused(spine: RagSpine) -> None:
    store = VectorStore(spine)
    with pytest.raises(QueryError, match="1 to 16,000"):
        store.search([0.5] * 16_001, query_space="0" * 32, access=Access("guesses", {"user:me"}))


def test_a_model_that_takes_long_to_make_keeps_nobody_from_one_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    ready, slow = WrittenModel(name="ready"), WrittenModel(name="slow")
    known = KnownModels([ready])
    making, let_go = threading.Event(), threading.Event()

    def make(name: str, **options: Any) -> WrittenModel:
        making.set()
        assert let_go.wait(30)
        return slow

    monkeypatch.setattr("ragspine_pg.embedding.known.make_embedding_model", make)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(known.find(embedding_profile(slow)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert making.wait(30)
    assert known.find(embedding_profile(ready)) is ready
    let_go.set()
    for thread in threads:
        thread.join(30)
    assert found == [slow, slow]
