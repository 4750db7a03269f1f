"""The pool behind a URL: bounded, checked, and honest about why there is no connection."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import DeadlineExceeded, UnavailableError


def _only(connection: psycopg.Connection[Any], query: str) -> Any:
    row = psycopg.Cursor(connection).execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


@pytest.fixture
def source(server: EmbeddedServer) -> Iterator[ConnectionSource]:
    source = open_source(server.ingest_url, max_connections=3, wait_seconds=20)
    yield source
    source.close()


def test_many_threads_never_hold_more_than_the_bound(source: ConnectionSource) -> None:
    backends: set[int] = set()
    at_once, most = 0, 0
    lock = threading.Lock()

    def use() -> None:
        nonlocal at_once, most
        for _ in range(4):
            with source.transaction(read_only=True) as connection:
                with lock:
                    at_once += 1
                    most = max(most, at_once)
                    backends.add(_only(connection, "SELECT pg_catalog.pg_backend_pid()"))
                time.sleep(0.005)
                with lock:
                    at_once -= 1

    threads = [threading.Thread(target=use) for _ in range(15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= most <= 3
    assert 1 <= len(backends) <= 3


def test_one_user_after_another_needs_one_connection(source: ConnectionSource) -> None:
    backends = set()
    for read_only in (True, False) * 10:
        with source.transaction(read_only) as connection:
            backends.add(_only(connection, "SELECT pg_catalog.pg_backend_pid()"))
    assert len(backends) == 1


def test_waiting_for_a_connection_is_bounded_and_says_why(server: EmbeddedServer) -> None:
    source = open_source(server.reader_url, max_connections=1, wait_seconds=0.2)
    with source.transaction(True):
        start = time.monotonic()
        with pytest.raises(UnavailableError, match="all 1 are in use"), source.transaction(True):
            pass
        assert time.monotonic() - start < 5
    with source.transaction(True) as connection:
        assert _only(connection, "SELECT 1") == 1
    source.close()


def test_nothing_is_connected_before_the_first_transaction() -> None:
    open_source("postgresql://nobody@localhost:1/none").close()


def test_wrong_password_is_told_at_once_without_it(server: EmbeddedServer) -> None:
    right = server.reader_url
    password = right.split(":")[2].split("@")[0]
    source = open_source(right.replace(password, "hushhush"), wait_seconds=60)
    start = time.monotonic()
    with pytest.raises(UnavailableError, match="password authentication failed") as refused, source.transaction(True):
        pass
    assert time.monotonic() - start < 10
    assert "hushhush" not in str(refused.value)
    source.close()


def test_closed_source_stays_closed(source: ConnectionSource) -> None:
    with source.transaction(True):
        pass
    source.close()
    with pytest.raises(UnavailableError, match="was closed"), source.transaction(True):
        pass


def test_restart_of_the_server_is_survived(stopped_home: Path) -> None:
    server = EmbeddedServer.open(stopped_home, durable=False)
    source = open_source(server.reader_url, max_connections=2, wait_seconds=20)
    with source.transaction(True) as one, source.transaction(True) as two:
        assert one is not two
    server.close()
    with EmbeddedServer.open(stopped_home, durable=False):
        for _ in range(3):
            with source.transaction(True) as connection:
                assert _only(connection, "SELECT 1") == 1
        source.close()


def test_server_that_is_gone_is_unavailable_and_says_so(stopped_home: Path) -> None:
    server = EmbeddedServer.open(stopped_home, durable=False)
    source = open_source(server.reader_url, wait_seconds=0.5)

    def lose(connection: psycopg.Connection[Any]) -> None:
        server.close()
        _only(connection, "SELECT 1")

    with pytest.raises(UnavailableError, match="cannot be reached"), source.transaction(True) as connection:
        lose(connection)
    with pytest.raises(UnavailableError, match="cannot be reached"), source.transaction(True):
        pass
    source.close()


def test_running_statement_is_cancelled_from_another_thread(source: ConnectionSource) -> None:
    start = time.monotonic()

    def sleep(connection: psycopg.Connection[Any]) -> None:
        threading.Timer(0.2, connection.cancel_safe).start()
        _only(connection, "SELECT 1 FROM pg_catalog.pg_sleep(30)")

    with pytest.raises(DeadlineExceeded), source.transaction(True) as connection:
        sleep(connection)
    assert time.monotonic() - start < 20
    with source.transaction(True) as connection:
        assert _only(connection, "SELECT 1") == 1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_child_opens_connections_of_its_own(source: ConnectionSource) -> None:
    with source.transaction(True) as connection:
        parents = _only(connection, "SELECT pg_catalog.pg_backend_pid()")
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        with source.transaction(True) as connection:
            os.write(write, str(_only(connection, "SELECT pg_catalog.pg_backend_pid()")).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        childs = answer.read()
    assert os.waitpid(child, 0)[1] == 0
    assert childs.isdigit()
    assert int(childs) != parents
    with source.transaction(True) as connection:
        assert _only(connection, "SELECT pg_catalog.pg_backend_pid()") == parents


def test_statement_works_without_prepared_statements(source: ConnectionSource) -> None:
    with source.transaction(True) as connection:
        for _ in range(10):  # psycopg would prepare the fifth
            _only(connection, "SELECT 1")
        assert _only(connection, "SELECT count(*) FROM pg_catalog.pg_prepared_statements") == 0
