"""Nobody gets a byte of what it may not read, through no door."""

import json
from collections.abc import Iterator
from functools import partial

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine, RagSpineError
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import ConfigurationError, GrantInvalid
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement import search as statements
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

DOORS = [
    "search",
    "search, one hit",
    "search, explained",
    "search, expanded",
    "search, filtered",
    "search for the restricted",
    "search by name",
    "search in a library",
    "retriever",
    "explain open",
    "explain staff",
    "explain finance",
    "explain restricted",
    "explain closed",
    "explain theirs",
    "explain absent",
    "SQL search",
    "SQL search_json",
    "SQL search_lexical",
    "SQL libraries",
    "SQL passages",
    "SQL documents",
    "SQL legs",
    "SQL terms",
]  # fmt: skip
VECTOR_DOORS = ["store", "SQL search_vector", "SQL vector legs", "SQL vector legs, unfiltered"]


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


def assert_isolated(doors: dict[str, world.Door], mode: world.Mode = world.PLAIN) -> None:
    """The core: what each caller sees, and that it sees something."""
    assert sorted(doors) == sorted([*DOORS, *(VECTOR_DOORS if mode.ran != "economy" else [])])
    for name, ask in doors.items():
        for access in (world.OUTSIDER, world.NOBODY):
            assert world.CANARY not in ask(access), f"{name} shows {access} a text it may not read"
    seen = doors["search"](world.OUTSIDER)
    assert json.loads(seen)["mode"] == mode.ran
    assert world.documents_in(seen) == ["open"]
    assert sorted(world.documents_in(doors["search"](world.STAFF))) == ["open", "staff"]
    assert sorted(world.documents_in(doors["search"](world.FINANCE))) == ["finance", "open"]
    assert world.documents_in(doors["search"](world.NOBODY)) == []
    assert world.documents_in(doors["search"](world.STRANGER)) == ["theirs"]
    assert world.documents_in(doors["search for the restricted"](world.STAFF)) == []
    if mode.ran != "economy":
        assert doors["SQL search_vector"](world.STAFF).count("char=") == 2, "a locator each"
        assert doors["SQL vector legs, unfiltered"](world.STAFF).count("'scan'") == 2, "a strategy each"
        assert sorted(world.documents_in(doors["store"](world.FINANCE))) == ["finance", "open"]
        assert world.documents_in(doors["store"](world.STRANGER)) == ["theirs"]


def test_every_caller_sees_its_own_and_nothing_else(asked: world.World) -> None:
    assert_isolated(asked.doors, asked.mode)


def test_without_a_principal_every_door_is_empty(asked: world.World) -> None:
    for door, ask in asked.doors.items():
        nobody, unknown = ask(world.NOBODY), ask(Access("nosuch", {"user:ann"}))
        assert nobody.replace("acme", "nosuch") == unknown.replace("acme", "nosuch"), door
        assert "thirty days of delivery" not in nobody, door


@pytest.mark.parametrize("door", [door for door in DOORS if door.startswith("explain")])
def test_explain_does_not_tell_hidden_from_absent(asked: world.World, door: str) -> None:
    hidden, absent = asked.doors[door](world.OUTSIDER), asked.doors["explain absent"](world.OUTSIDER)
    name = door.removeprefix("explain ")
    if name != "open":
        assert hidden.replace(f"'{name}'", "'absent'") == absent


@pytest.mark.parametrize("embedded", [False, True])
def test_a_library_with_nothing_to_read_is_like_none(asked: world.World, embedded: bool) -> None:
    """Not even that it lacks the vectors which a mode needs is told."""
    spine = asked.spine
    name = f"vault-{embedded}"
    spine.create_library("acme", name, embedding=world.MODEL if embedded else None).ingest(world.hidden_documents(3))
    for how in world.MODES.values():
        ask = partial(spine.search, world.QUESTION, access=world.OUTSIDER, mode=how.mode, fusion=how.fusion)
        for named in ([name], ["nowhere"]):
            result = ask(libraries=named)
            assert result.to_json() == ask(libraries=["other"]).to_json()
            assert result.reason == "nothing_readable"
        if asked.mode.embedded or how.ran == "economy":
            assert list(ask().index_versions) == ["handbook"]


def test_metadata_never_decides_scope(built: RagSpine) -> None:
    assert built.search("Globex", access=world.STAFF).hits == ()


def test_a_setting_made_by_hand_gives_nothing(built: RagSpine, database: Database) -> None:
    grant = built.grant(world.STAFF)
    forged = grant[:-1] + ("1" if grant[-1] == "0" else "0")
    with psycopg.connect(database.reader_url) as connection:
        for value in ("acme", '{"tenant": "acme", "principals": ["group:staff"]}', forged):
            connection.execute("SELECT set_config('ragspine.grant', %s, true)", [value])
            assert connection.execute("SELECT ragspine.granted_tenant_no_v1()").fetchone() == (None,)
            assert connection.execute("SELECT count(*) FROM ragspine.search('return')").fetchone() == (0,)


def test_a_search_needs_access(built: RagSpine) -> None:
    with pytest.raises(TypeError, match="access"):
        built.search("return")  # type: ignore[call-arg]
    with pytest.raises(ConfigurationError, match="access"):
        built.search("return", access=None)  # type: ignore[arg-type]


def test_documents_never_reach_errors(built: RagSpine, database: Database) -> None:
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


def _assume(grant: str) -> Flow[None]:
    yield from fetch(statements.begin, grant=grant, timeout=None, single_login="off")


@pytest.mark.parametrize("name", world.MODES)
def test_isolation_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    doors = world.doors(fresh_spine, fresh_database, mode=mode)
    assert_isolated(doors, mode)
    named = ("r.principal = ANY (granted.principals)", "true")
    for function in ("caller_v1", "admits_v1", "read_passages_v1"):
        plant(function, named)
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("ALTER POLICY readable ON ragspine.acl_reader USING (true)")
    with pytest.raises(AssertionError):
        assert_isolated(doors, mode)


@pytest.mark.parametrize("name", world.VECTORED)
@pytest.mark.parametrize(
    "edit",
    [
        ("x.tenant_no = $1 AND x.version_no = %2$s AND x.acl_class_no = ANY ($3)", "false"),
        ("x.acl_class_no = ANY ($3)", "x.acl_class_no <> ALL ($3)"),
    ],
    ids=["no vector found", "the others' vectors"],
)
def test_isolation_by_vectors_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str, edit: tuple[str, str]
) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=True)
    doors = world.doors(fresh_spine, fresh_database, mode=mode)
    assert_isolated(doors, mode)
    plant("vector_scan_v1", edit)
    with pytest.raises(AssertionError):
        assert_isolated(doors, mode)


def test_restricted_text_has_no_vector(asked: world.World) -> None:
    """Not even the owner can find one; every other text of a world with vectors has one."""
    with psycopg.connect(asked.database.owner_url) as connection:
        rows = connection.execute(
            "SELECT d.document_id, count(e.chunk_no) FROM ragspine.document AS d"
            " JOIN ragspine.chunk AS c USING (tenant_no, document_no)"
            " LEFT JOIN ragspine.chunk_embedding AS e USING (tenant_no, version_no, chunk_no)"
            " WHERE d.document_id = ANY (%s) GROUP BY d.document_id",
            [["open", "staff", "finance", "restricted", "closed", "theirs"]],
        ).fetchall()
    vectors = int(asked.mode.embedded)
    assert dict(rows) == {
        **dict.fromkeys(("open", "staff", "finance", "closed", "theirs"), vectors),
        "restricted": 0,
    }


def test_a_reader_has_no_right_on_any_table(database: Database) -> None:
    """EXPLAIN ANALYZE and counters tell of rows that row-level security holds back, so there is nothing to explain."""
    with psycopg.connect(database.owner_url) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class"
            " WHERE relnamespace = 'ragspine'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')"
        ).fetchall()
    tables = {str(row[0]) for row in rows} - {"alembic_version"}
    assert {"document", "chunk", "acl_reader", "grant_key"} <= tables
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        for table in tables:
            for statement in (
                f"SELECT FROM ragspine.{table}",
                f"EXPLAIN SELECT FROM ragspine.{table}",
                f"COPY ragspine.{table} TO STDOUT",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)  # type: ignore[call-overload]


def test_counters_are_not_for_readers(database: Database) -> None:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        for counter in ("pg_stat_get_xact_numscans", "pg_stat_get_xact_tuples_returned", "pg_stat_get_live_tuples"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT {counter}('pg_class'::regclass)")  # type: ignore[call-overload]


def chunks_of_all(database: Database) -> tuple[list[int], list[int]]:
    with psycopg.connect(database.owner_url) as connection:
        rows = connection.execute("SELECT version_no, chunk_no FROM ragspine.chunk ORDER BY 2").fetchall()
    return [row[0] for row in rows], [row[1] for row in rows]


def read_as_outsider(spine: RagSpine, database: Database) -> list[str]:
    """Ids of the documents that ``read_passages_v1`` gives for every chunk there is."""
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [spine.grant(world.OUTSIDER)])
        rows = connection.execute(
            "SELECT document_id FROM ragspine.read_passages_v1(%s, %s)", chunks_of_all(database)
        ).fetchall()
    return sorted({row[0] for row in rows})


def test_row_level_security_holds_when_every_condition_is_gone(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant
) -> None:
    world.build(fresh_spine)
    assert read_as_outsider(fresh_spine, fresh_database) == ["open"]
    plant(
        "read_passages_v1",
        ("c.tenant_no = granted.tenant_no AND", ""),
        (" WHERE a.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')", ""),
        (
            "AND (a.open_to_members AND cardinality(granted.principals) > 0 OR cardinality(a.reader_principals) > 0)",
            "",
        ),
    )
    assert read_as_outsider(fresh_spine, fresh_database) == ["open"], "the policies stand behind the conditions"


def test_row_level_security_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant: Plant) -> None:
    test_row_level_security_holds_when_every_condition_is_gone(fresh_spine, fresh_database, plant)
    with psycopg.connect(fresh_database.owner_url) as connection:
        for table in ("chunk", "document", "acl_class", "library", "index_version", "tenant"):
            connection.execute(f"ALTER POLICY readable ON ragspine.{table} USING (true)")  # type: ignore[call-overload]
    assert read_as_outsider(fresh_spine, fresh_database) == [
        "closed",
        "finance",
        "open",
        "restricted",
        "staff",
        "theirs",
    ]


def test_a_version_with_nothing_to_read_is_like_none(fresh_spine: RagSpine, fresh_database: Database) -> None:
    world.build(fresh_spine)
    fresh_spine.create_library("acme", "vault", fields={"due": "timestamp"}).ingest(world.hidden_documents(2))
    with psycopg.connect(fresh_database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [fresh_spine.grant(world.OUTSIDER)])
        for version_no in (3, 99):
            for field in ("due", "other"):
                rows = connection.execute(
                    "SELECT * FROM ragspine.lexical_leg_v1(%s, 'return', 1, %s::jsonb)",
                    [version_no, f'{{"field": "{field}", "op": "prefix", "value": "x"}}'],
                ).fetchall()
                assert rows == []
            assert (
                connection.execute("SELECT * FROM ragspine.query_terms_v1(%s, 'return')", [version_no]).fetchall() == []
            )
