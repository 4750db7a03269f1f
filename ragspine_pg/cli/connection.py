"""Which database a command works on, and how it is opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from ragspine_pg.cli.failure import Mistake
from ragspine_pg.client import Ingestor, RagSpine
from ragspine_pg.config import ServiceConfig


@dataclass(frozen=True)
class Connection:
    """The connection's options as they were given; what was not is the environment's, else the embedded server's."""

    database: str | None = None
    ingest_database: str | None = None
    owner_database: str | None = None
    single_login: bool = False
    debug: bool = False

    def overridden(self, later: "Connection") -> "Connection":
        """These options with those of ``later`` over them."""
        return Connection(
            later.database or self.database,
            later.ingest_database or self.ingest_database,
            later.owner_database or self.owner_database,
            later.single_login or self.single_login,
            later.debug or self.debug,
        )

    @property
    def given(self) -> dict[str, str]:
        """The settings that options of the command line have set."""
        options = {
            "database_url": self.database,
            "ingest_url": self.ingest_database,
            "owner_url": self.owner_database,
        }
        return {name: value for name, value in options.items() if value}

    @cached_property
    def config(self) -> ServiceConfig:
        """The settings in force. Raises ``ConfigurationError``."""
        return ServiceConfig.load(**self.given)

    @property
    def is_embedded(self) -> bool:
        """Whether no database is named at all, so that the embedded server is meant."""
        config = self.config
        return config.database_url is None and config.ingest_url is None and config.owner_url is None

    @contextmanager
    def spine(self) -> Iterator[RagSpine]:
        """Both authorities, closed at the end. Raises ``Mistake`` where a login is named, but not the reader's."""
        if self.config.database_url is None and not self.is_embedded:
            raise Mistake("no database to search: name the reader's login by --database URL or RAGSPINE_DATABASE_URL")
        with RagSpine.open(config=self.config, single_login=self.single_login) as spine:
            yield spine

    @contextmanager
    def ingestor(self) -> Iterator[Ingestor]:
        """The write authority, closed at the end; it needs no login that reads."""
        config = self.config
        if config.ingest_url is not None:
            with Ingestor.open(config=config) as ingestor:
                yield ingestor
            return
        if config.database_url is None and not self.is_embedded:
            raise Mistake(
                "no database to write to: name the ingest login by --ingest-database URL or RAGSPINE_INGEST_URL"
            )
        if config.database_url is not None and not self.single_login:
            raise Mistake(
                "no login that writes: name one by --ingest-database URL or RAGSPINE_INGEST_URL, or give --single-login"
                " if there is one login for everything"
            )
        with self.spine() as spine:
            yield spine.ingestor

    @property
    def owner(self) -> str | None:
        """The owner's URL, where there is one."""
        if self.config.owner_url is not None:
            return self.config.owner_url.get_secret_value()
        if self.single_login and self.config.database_url is not None:
            return self.config.database_url.get_secret_value()
        return None
