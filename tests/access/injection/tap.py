"""Everything that the server is asked to run: what crosses the wire, and what our functions run inside the database."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import Trace

from tests.access.noninterference.stage import Stage
from tests.access.test_plans import LET_PLANS_OUT
from tests.fixtures.database import Database

_SETTINGS = {
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_parameter_max_length": "0",
    "auto_explain.log_level": "notice",
    "client_min_messages": "notice",
}
_MESSAGE = re.compile(r"^[FB]\t\d+\t", re.MULTILINE)
_WITH_TEXT = re.compile(r"(Parse|Query)\t")


class Tap:
    """Listens on a stage's connection. ``statements`` are the texts since ``heard`` began.

    ``sent`` are those of them that crossed the wire; ``inside``: whether those that our functions run are there, too.
    """

    def __init__(self, connection: psycopg.Connection[Any], stage: Stage, inside: bool) -> None:
        self.stage = stage
        self.inside = inside
        self.statements: list[str] = []
        self.sent: list[str] = []
        self.connection = connection
        connection.add_notice_handler(self._hear)

    def _hear(self, notice: psycopg.errors.Diagnostic) -> None:
        head, found, plan = (notice.message_primary or "").partition("plan:\n")
        if found and head.startswith("duration:"):
            self.statements.append(json.loads(plan)["Query Text"])

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Collects, and leaves what it collected in ``statements``."""
        self.statements.clear()
        with tempfile.TemporaryFile() as trace:
            self.connection.pgconn.trace(trace.fileno())
            self.connection.pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
            try:
                yield
            finally:
                self.connection.pgconn.untrace()
                trace.seek(0)
                told = os.fsdecode(trace.read())
        self.sent = [message for message in _MESSAGE.split(told) if _WITH_TEXT.match(message)]
        self.statements += self.sent


@contextmanager
def tapped(database: Database) -> Iterator[Tap]:
    """A stage in ``database``, a clone of the test's own, and a tap on its connection."""
    with psycopg.connect(database.superuser_url) as connection:
        connection.execute(LET_PLANS_OUT)
        connection.commit()
        inside = True
        try:
            connection.execute("LOAD 'auto_explain'")
            for name, value in _SETTINGS.items():
                connection.execute("SELECT set_config(%s, %s, false)", [name, value])
            connection.commit()
        except psycopg.errors.UndefinedFile:  # some builds of PostgreSQL come without it
            inside = False
            connection.rollback()
        yield Tap(connection, Stage(connection, database, index_ddl=False), inside)
        connection.rollback()
