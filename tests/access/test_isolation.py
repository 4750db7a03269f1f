"""Nobody gets a byte of what it may not read, through no door."""

from collections.abc import Iterator

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine, RagSpineError
from ragspine_pg.errors import ConfigurationError, GrantInvalid
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement import search as statements
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

DOORS = [
    "search", "search, explained", "search, expanded", "search, filtered", "search for the restricted",
    "search by name", "search in a library", "retriever", "explain open", "explain staff", "explain finance",
    "explain restricted", "explain closed", "explain theirs", "explain absent", "SQL search", "SQL search_json",
    "SQL search_lexical", "SQL documents", "SQL pages", "SQL chunks", "SQL fields", "SQL windows", "SQL readers",
    "SQL classes", "SQL libraries", "SQL counts", "SQL terms",
]  # fmt: skip


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        world.build(spine)
        yield spine


def assert_isolated(doors: dict[str, world.Door]) -> None:
    """The core: what each caller sees, and that it sees something."""
    assert sorted(doors) == sorted(DOORS)
    for name, ask in doors.items():
        for access in (world.OUTSIDER, world.NOBODY):
            assert world.CANARY not in ask(access), f"{name} shows {access} a text it may not read"
    assert world.documents_in(doors["search"](world.OUTSIDER)) == ["open"]
    assert sorted(world.documents_in(doors["search"](world.STAFF))) == ["open", "staff"]
    assert sorted(world.documents_in(doors["search"](world.FINANCE))) == ["finance", "open"]
    assert world.documents_in(doors["search"](world.NOBODY)) == []
    assert world.documents_in(doors["search"](world.STRANGER)) == ["theirs"]
    assert world.documents_in(doors["search for the restricted"](world.STAFF)) == []


def test_every_caller_sees_its_own_and_nothing_else(built: RagSpine, database: Database) -> None:
    assert_isolated(world.doors(built, database))


@pytest.mark.parametrize("door", DOORS)
def test_without_a_principal_every_door_is_empty(built: RagSpine, database: Database, door: str) -> None:
    asked = world.doors(built, database)[door]
    assert asked(world.NOBODY).replace("acme", "nosuch") == asked(Access("nosuch", {"user:ann"})).replace(
        "acme", "nosuch"
    )
    assert "thirty days of delivery" not in asked(world.NOBODY)


@pytest.mark.parametrize("door", [door for door in DOORS if door.startswith("explain")])
def test_explain_does_not_tell_hidden_from_absent(built: RagSpine, database: Database, door: str) -> None:
    doors = world.doors(built, database)
    hidden, absent = doors[door](world.OUTSIDER), doors["explain absent"](world.OUTSIDER)
    name = door.removeprefix("explain ")
    if name != "open":
        assert hidden.replace(f"'{name}'", "'absent'") == absent


def test_a_library_with_nothing_to_read_is_like_none(built: RagSpine) -> None:
    built.create_library("acme", "vault").ingest(world.hidden_documents(3))
    for named in (["vault"], ["nowhere"]):
        result = built.search(world.QUESTION, access=world.OUTSIDER, libraries=named)
        assert result.to_json() == built.search(world.QUESTION, access=world.OUTSIDER, libraries=["other"]).to_json()
        assert result.reason == "nothing_readable"
    assert "vault" not in built.search(world.QUESTION, access=world.OUTSIDER).index_versions


def test_metadata_never_decides_scope(built: RagSpine) -> None:
    assert built.search("Globex", access=world.STAFF).hits == ()


def test_a_setting_made_by_hand_gives_nothing(built: RagSpine, database: Database) -> None:
    with psycopg.connect(database.reader_url) as connection:
        for value in ("acme", '{"tenant": "acme", "principals": ["group:staff"]}', built.grant(world.STAFF)[:-1] + "0"):
            connection.execute("SELECT set_config('ragspine.grant', %s, true)", [value])
            assert connection.execute("SELECT count(*) FROM ragspine.chunk").fetchone() == (0,)
            assert connection.execute("SELECT count(*) FROM ragspine.search('return')").fetchone() == (0,)


def test_a_search_needs_access(built: RagSpine) -> None:
    with pytest.raises(TypeError, match="access"):
        built.search("return")  # type: ignore[call-arg]
    with pytest.raises(ConfigurationError, match="access"):
        built.search("return", access=None)  # type: ignore[arg-type]


def test_documents_never_reach_errors_or_the_server_log(built: RagSpine, database: Database) -> None:
    said = []
    with psycopg.connect(database.reader_url) as connection:
        for statement in (
            "SELECT text::int FROM ragspine.chunk",
            "SELECT count(*) FROM ragspine.document WHERE title::int = 1",
            "SELECT 1 / (text = 'x')::int FROM ragspine.document_page",
            "SELECT ragspine.search('a', k => 0)",
            """SELECT ragspine.search('a', filter => '{"field": "n", "op": "nope"}')""",
            "SELECT * FROM ragspine.chunk_lexical",
            "SELECT * FROM ragspine.lexeme",
            "INSERT INTO ragspine.document SELECT * FROM ragspine.document",
        ):
            try:
                with connection.transaction():
                    connection.execute("SELECT ragspine.assume(%s)", [built.grant(world.OUTSIDER)])
                    connection.execute(statement)  # type: ignore[call-overload]
            except psycopg.Error as error:
                said.append(f"{error} {error.diag.message_detail} {error.diag.context}")
    built.create_library("errors", "handbook")
    for documents in (
        [Document("same", world.CANARY), Document("same", world.CANARY)],
        [Document("fine", world.CANARY), Document("long", world.CANARY, metadata={world.CANARY: "x" * 2_000_000})],
    ):
        try:
            built.library("errors", "handbook").ingest(documents)
        except RagSpineError as error:
            said.append(f"{error!r} {error.ids} {error.__cause__!r}")
    with pytest.raises(GrantInvalid) as caught:
        built._drive(_assume("rg1.not.a.real.grant"), read_only=True)
    said.append(str(caught.value))
    assert len(said) >= 8
    assert world.CANARY not in "".join(said)
    assert world.CANARY not in database.log_path.read_text(errors="replace")


def _assume(grant: str) -> Flow[None]:
    yield from fetch(statements.begin, grant=grant, timeout=None, single_login="off")


def test_isolation_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant: Plant, vector_schema: str) -> None:
    world.build(fresh_spine)
    doors = world.doors(fresh_spine, fresh_database)
    assert_isolated(doors)
    plant("visible_classes_v1", ("r.principal = ANY (granted.principals)", "true"))
    with pytest.raises(AssertionError):
        assert_isolated(doors)


def test_isolation_against_an_open_policy_has_teeth(fresh_spine: RagSpine, fresh_database: Database) -> None:
    world.build(fresh_spine)
    doors = world.doors(fresh_spine, fresh_database)
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("ALTER POLICY readable ON ragspine.chunk USING (true)")
        connection.execute("DROP POLICY IF EXISTS bounded ON ragspine.chunk")
    with pytest.raises(AssertionError, match="SQL chunks"):
        assert_isolated(doors)
