"""Every kind of target gives the same transactions, and gets back what it lent as it was."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
import sqlalchemy
from psycopg.rows import dict_row, tuple_row
from psycopg_pool import ConnectionPool
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from ragspine_pg.connect import transaction
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import ConfigurationError, IngestError, RagSpineError, UnavailableError
from tests.fixtures.database import empty_database

KINDS = ["url", "engine", "pool", "idle", "idle autocommit", "joined", "alchemy idle", "alchemy joined", "session"]
JOINED = ["joined", "alchemy joined", "session"]
HANDED_IN = [kind for kind in KINDS if kind != "url"]


@dataclass
class Handed:
    """A source, how its lender looks at the database through what it lent, and whether that is still open."""

    source: ConnectionSource
    look: Callable[[str], Any]
    is_open: Callable[[], bool]


@pytest.fixture(scope="module")
def url(server: EmbeddedServer) -> str:
    """The owner's URL of a database of this module's own, with a table to write to."""
    url = empty_database(server, f"sources_{secrets.token_hex(6)}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE written (word text PRIMARY KEY)")
    return url


@pytest.fixture(autouse=True)
def _empty(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("TRUNCATE written")


@pytest.fixture
def engine(url: str) -> Iterator[sqlalchemy.Engine]:
    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    yield engine
    engine.dispose()


@pytest.fixture
def hand(url: str, engine: sqlalchemy.Engine) -> Iterator[Callable[[str], Handed]]:
    with ExitStack() as stack:

        def make(kind: str) -> Handed:
            match kind:
                case "url":
                    source = open_source(url)
                    stack.callback(source.close)
                    return Handed(source, lambda query: _look(url, query), lambda: True)
                case "engine":
                    return Handed(open_source(engine), lambda query: _look(url, query), lambda: _answers(engine))
                case "pool":
                    pool = stack.enter_context(ConnectionPool(url, min_size=0, max_size=2, open=True))
                    return Handed(open_source(pool), lambda query: _look(url, query), lambda: not pool.closed)
                case "idle" | "idle autocommit" | "joined":
                    lent = stack.enter_context(psycopg.connect(url, row_factory=dict_row))
                    lent.autocommit = kind == "idle autocommit"
                    if kind == "joined":
                        lent.execute("SELECT 1")
                    return Handed(open_source(lent), lambda query: _only(lent, query), lambda: not lent.closed)
                case "alchemy idle" | "alchemy joined":
                    connection = stack.enter_context(engine.connect())
                    if kind == "alchemy joined":
                        connection.begin()
                    return Handed(
                        open_source(connection),
                        lambda query: connection.exec_driver_sql(query).scalar(),
                        lambda: not connection.closed,
                    )
                case "session":
                    session = stack.enter_context(Session(engine))
                    return Handed(
                        open_source(session),
                        lambda query: session.execute(sqlalchemy.text(query)).scalar(),
                        lambda: session.is_active,
                    )
            raise AssertionError(kind)

        yield make


def _look(url: str, query: str) -> Any:
    with psycopg.connect(url) as connection:
        return _only(connection, query)


def _only(connection: psycopg.Connection[Any], query: str) -> Any:
    row = psycopg.Cursor(connection, row_factory=tuple_row).execute(query.encode()).fetchone()
    return None if row is None else row[0]


def _answers(engine: sqlalchemy.Engine) -> bool:
    with engine.connect() as connection:
        return bool(connection.exec_driver_sql("SELECT 1").scalar() == 1)


def _write(connection: psycopg.Connection[Any], *words: str) -> None:
    for word in words or ("w",):
        psycopg.Cursor(connection).execute("INSERT INTO written VALUES (%s)", [word])


@pytest.mark.parametrize("kind", KINDS)
def test_reader_cannot_write(hand: Callable[[str], Handed], kind: str) -> None:
    handed = hand(kind)
    with pytest.raises(RagSpineError, match="ReadOnlySqlTransaction"), handed.source.transaction(True) as connection:
        _write(connection)
    assert handed.look("SELECT count(*) FROM written") == 0


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in JOINED])
def test_transactions_of_ours_have_their_isolation(hand: Callable[[str], Handed], kind: str) -> None:
    source = hand(kind).source
    with source.transaction(read_only=True) as connection:
        assert _only(connection, "SHOW transaction_isolation") == "repeatable read"
        assert _only(connection, "SHOW transaction_read_only") == "on"
    with source.transaction(read_only=False) as connection:
        assert _only(connection, "SHOW transaction_isolation") == "read committed"
        assert _only(connection, "SHOW transaction_read_only") == "off"


@pytest.mark.parametrize("kind", KINDS)
def test_write_is_kept_at_the_end_and_lost_on_an_error(hand: Callable[[str], Handed], kind: str) -> None:
    handed = hand(kind)
    with handed.source.transaction(read_only=False) as connection:
        _write(connection, "kept")
    with pytest.raises(IngestError), handed.source.transaction(read_only=False) as connection:
        _write(connection, "lost", "lost")
    assert handed.look("SELECT string_agg(word, ' ') FROM written") == "kept"


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_joined_transaction_leaves_the_commit_to_its_lender(
    hand: Callable[[str], Handed], url: str, kind: str
) -> None:
    with hand(kind).source.transaction(read_only=False) as connection:
        _write(connection)
    assert _look(url, "SELECT count(*) FROM written") == (0 if kind in JOINED else 1)


def test_lenders_rollback_takes_our_write_back(engine: sqlalchemy.Engine, url: str) -> None:
    with engine.connect() as connection:
        begun = connection.begin()  # the server has not heard of it yet
        with open_source(connection).transaction(read_only=False) as lent:
            _write(lent)
        begun.rollback()
    assert _look(url, "SELECT count(*) FROM written") == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fails", [False, True])
def test_no_setting_survives_a_read(hand: Callable[[str], Handed], kind: str, fails: bool) -> None:
    handed = hand(kind)
    before = handed.look("SELECT concat_ws('|', current_setting('ragspine.grant', true), current_setting('work_mem'))")
    try:
        with handed.source.transaction(read_only=True) as connection:
            _only(connection, "SELECT set_config('ragspine.grant', 'secret', true)")
            _only(connection, "SELECT set_config('work_mem', '123kB', true)")
            assert _only(connection, "SELECT current_setting('ragspine.grant')") == "secret"
            if fails:
                _only(connection, "SELECT 1 / 0")
    except RagSpineError:
        assert fails
    after = handed.look("SELECT concat_ws('|', current_setting('ragspine.grant', true), current_setting('work_mem'))")
    assert after.strip("|") == before.strip("|")
    assert handed.look("SHOW transaction_read_only") == "off"


@pytest.mark.parametrize("kind", HANDED_IN)
def test_what_was_handed_in_is_never_closed(hand: Callable[[str], Handed], kind: str) -> None:
    handed = hand(kind)
    for read_only in (True, False):
        with handed.source.transaction(read_only):
            pass
    handed.source.close()
    handed.source.close()
    assert handed.is_open()
    assert handed.look("SELECT 1") == 1


@pytest.mark.parametrize("autocommit", [False, True])
def test_attributes_of_a_lent_connection_come_back(url: str, autocommit: bool) -> None:
    with psycopg.connect(url, autocommit=autocommit, row_factory=dict_row, prepare_threshold=1) as lent:
        lent.isolation_level, lent.read_only, lent.deferrable = psycopg.IsolationLevel.SERIALIZABLE, True, True
        cursor_factory = lent.cursor_factory
        source = open_source(lent)
        with source.transaction(read_only=False) as connection:
            _write(connection)
        with pytest.raises(RagSpineError), source.transaction(read_only=True) as connection:
            _only(connection, "SELECT 1 / 0")
        assert lent.autocommit is autocommit
        assert lent.isolation_level is psycopg.IsolationLevel.SERIALIZABLE
        assert (lent.read_only, lent.deferrable, lent.prepare_threshold) == (True, True, 1)
        assert (lent.row_factory, lent.cursor_factory) == (dict_row, cursor_factory)


def test_transactions_of_one_lent_connection_nest(url: str) -> None:
    with psycopg.connect(url) as lent:
        source = open_source(lent)
        with source.transaction(read_only=False) as outer:
            _write(outer, "outer")
            with source.transaction(read_only=True) as inner:
                assert _only(inner, "SELECT count(*) FROM written") == 1
            _write(outer, "afterwards")
    assert _look(url, "SELECT count(*) FROM written") == 2


def test_lent_connection_in_a_failed_transaction_is_refused(url: str) -> None:
    with psycopg.connect(url) as lent:
        with pytest.raises(psycopg.errors.DivisionByZero):
            lent.execute("SELECT 1 / 0")
        with pytest.raises(ConfigurationError, match="failed transaction"), open_source(lent).transaction(True):
            pass
        lent.rollback()


def test_closed_lent_connection_is_unavailable(url: str) -> None:
    lent = psycopg.connect(url)
    lent.close()
    with pytest.raises(UnavailableError, match="closed or broken"), open_source(lent).transaction(True):
        pass


def test_closed_pool_is_unavailable(url: str) -> None:
    pool = ConnectionPool(url, min_size=0, max_size=1, open=False)
    with pytest.raises(UnavailableError, match="closed, or not open yet"), open_source(pool).transaction(True):
        pass


def test_setting_made_by_an_engines_listener_costs_no_write(engine: sqlalchemy.Engine, url: str) -> None:
    @sqlalchemy.event.listens_for(engine, "connect")
    def _set(connection: Any, record: object) -> None:
        connection.execute("SET work_mem = '321kB'")  # leaves a transaction open

    with open_source(engine).transaction(read_only=False) as connection:
        assert _only(connection, "SHOW work_mem") == "321kB"
        assert _only(connection, "SHOW transaction_isolation") == "read committed"
        _write(connection)
    assert _look(url, "SELECT count(*) FROM written") == 1


def test_scoped_session_is_a_session(engine: sqlalchemy.Engine, url: str) -> None:
    sessions = scoped_session(sessionmaker(engine))
    with open_source(sessions).transaction(read_only=False) as connection:
        _write(connection)
    sessions.commit()
    sessions.remove()
    assert _look(url, "SELECT count(*) FROM written") == 1


def test_another_driver_is_refused_with_the_right_url() -> None:
    engine = sqlalchemy.create_mock_engine("postgresql+psycopg://", lambda *_: None)
    with pytest.raises(ConfigurationError, match="is no database target"):
        open_source(engine)  # type: ignore[arg-type]
    sqlite = sqlalchemy.create_engine("sqlite://")
    for target in (sqlite, Session(sqlite)):
        with pytest.raises(ConfigurationError, match=r"create it with postgresql\+psycopg://"):
            open_source(target)
    with sqlite.connect() as connection, pytest.raises(ConfigurationError, match=r"postgresql\+psycopg://"):
        open_source(connection)
    sqlite.dispose()


def test_session_without_an_engine_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="UnboundExecutionError"):
        open_source(Session())


@pytest.mark.parametrize("kind", KINDS)
def test_driver_errors_arrive_as_ours_without_values(hand: Callable[[str], Handed], kind: str) -> None:
    with pytest.raises(IngestError) as refused, hand(kind).source.transaction(read_only=False) as connection:
        _write(connection, "kanarienvogel", "kanarienvogel")
    assert refused.value.ids["constraint"] == "written_pkey"
    assert "kanarienvogel" not in str(refused.value)
    assert refused.value.__suppress_context__


def test_no_setting_survives_a_read_has_teeth(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def released(connection: psycopg.Connection[Any], read_only: bool) -> Iterator[None]:
        with connection.transaction():
            yield

    monkeypatch.setattr(transaction, "_saved", released)
    with psycopg.connect(url) as lent:
        lent.execute("SELECT 1")
        with open_source(lent).transaction(read_only=True) as connection:
            _only(connection, "SELECT set_config('ragspine.grant', 'secret', true)")
        assert _only(lent, "SELECT current_setting('ragspine.grant')") == "secret"
        lent.rollback()


@pytest.mark.parametrize("kind", ["url", "pool", "idle"])
def test_a_connection_that_is_lost_does_not_hide_what_was_raised(
    hand: Callable[[str], Handed], url: str, kind: str
) -> None:
    source = hand(kind).source

    def losing() -> None:
        with source.transaction(read_only=True) as connection:
            pid = _only(connection, "SELECT pg_backend_pid()")
            _look(url, f"SELECT pg_terminate_backend({pid}, 5000)")
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        losing()
