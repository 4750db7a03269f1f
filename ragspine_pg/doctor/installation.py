"""What is examined: the logins at hand, the settings they come from, and the key that signs grants."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self, TypeAlias

from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import RagSpineError

Login: TypeAlias = Literal["reader", "ingest", "owner"]

LOGINS: tuple[Login, ...] = ("reader", "ingest", "owner")

SETTINGS: Mapping[Login, str] = {"reader": "database_url", "ingest": "ingest_url", "owner": "owner_url"}
"""The setting that holds each login's URL."""


@dataclass
class Installation:
    """The logins by name, each with its URL. ``problem`` says why an embedded server could not be opened.

    ``given``: the settings that the call has set, as opposed to the environment. ``clock`` is this host's, in seconds
    since 1970.
    """

    config: ServiceConfig
    urls: Mapping[Login, str]
    grant_key: str | None
    given: frozenset[str] = frozenset()
    single_login: bool = False
    server: EmbeddedServer | None = None
    problem: RagSpineError | None = None
    clock: Callable[[], float] = time.time
    sources: dict[Login, ConnectionSource] = field(default_factory=dict)
    """The logins that could connect; filled by the first check."""

    users: dict[Login, str] = field(default_factory=dict)
    """The names of their roles."""

    @classmethod
    def open(cls, config: ServiceConfig, *, given: frozenset[str] = frozenset(), single_login: bool = False) -> Self:
        """What ``config`` names, else the embedded server, started where needed; nothing is migrated."""
        named = {login: getattr(config, setting) for login, setting in SETTINGS.items()}
        urls: dict[Login, str] = {
            login: secret.get_secret_value() for login, secret in named.items() if secret is not None
        }
        key = None if config.grant_key is None else config.grant_key.get_secret_value()
        if urls:
            if single_login and "reader" in urls:
                urls = {login: urls.get(login, urls["reader"]) for login in LOGINS}
            return cls(config, urls, key, given, single_login)
        try:
            server = EmbeddedServer.open(config.home, pg_bin=config.pg_bin)
        except RagSpineError as error:
            return cls(config, {}, key, given, problem=error)
        urls = {"reader": server.reader_url, "ingest": server.ingest_url, "owner": server.owner_url}
        return cls(config, urls, server.grant_key, given, server=server)

    def connect(self, login: Login) -> ConnectionSource:
        """A source of transactions as ``login``, kept for the other checks; raises ``ConfigurationError``."""
        if login not in self.sources:
            self.sources[login] = open_source(self.urls[login], max_connections=1)
        return self.sources[login]

    def forget(self, login: Login) -> None:
        """Close a source that turned out not to connect."""
        source = self.sources.pop(login, None)
        if source is not None:
            source.close()

    def close(self) -> None:
        """Close all sources, and give up the embedded server."""
        for login in list(self.sources):
            self.forget(login)
        if self.server is not None:
            self.server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
