"""What opening comes to, for both clients: who reads, writes and owns, and the embedded server."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragspine_pg.client.signer import grant_key_of
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.contract.ingest import FoldReport
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import ConfigurationError, SchemaError, SchemaMismatch
from ragspine_pg.schema.check import mismatch_at
from ragspine_pg.schema.revision import HEAD, REVISIONS

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig
    from ragspine_pg.connect.embedded import EmbeddedServer
    from ragspine_pg.schema.migrate import Migrated


@dataclass(frozen=True, slots=True)
class Logins:
    """The targets by authority: URLs, or what was handed in."""

    read: Any
    write: Any
    owner: Any


def settings_of(config: "ServiceConfig | None") -> "ServiceConfig":
    """The settings handed in, else those of the environment. Raises ``ConfigurationError`` for what is none."""
    from ragspine_pg.config import ServiceConfig

    if config is None:
        return ServiceConfig.load()
    if not isinstance(config, ServiceConfig):
        raise ConfigurationError("config is a ServiceConfig: ServiceConfig.load(setting=value, …)", argument="config")
    return config


def models_of(embedding_models: Any) -> KnownModels:
    """Those handed in. Raises ``ConfigurationError`` for what are no models."""
    if not isinstance(embedding_models, Iterable) or isinstance(embedding_models, str | bytes | Mapping):
        raise ConfigurationError(
            "embedding_models is a sequence of models: embedding_models=[model]", argument="embedding_models"
        )
    return KnownModels(embedding_models)


def choose_logins(
    target: Any, ingest: Any, owner: Any, config: "ServiceConfig", *, single_login: bool
) -> Logins | None:
    """Who reads, writes and owns; None for the embedded server. Raises ``ConfigurationError``."""
    if target is None and config.database_url is None:
        if any(other is not None for other in (ingest, owner, config.ingest_url, config.owner_url)):
            raise ConfigurationError(
                "an ingest or owner login is given, no database to read: set RAGSPINE_DATABASE_URL, or open(URL)"
            )
        if single_login:
            raise ConfigurationError("the embedded server has a login for each authority: leave single_login out")
        return None
    read = reader(target, config)
    write = config.secret("ingest_url") if ingest is None else ingest
    owns = config.secret("owner_url") if owner is None else owner
    if single_login:
        write, owns = (read if login is None else login for login in (write, owns))
    return Logins(read, write, owns)


def reader(target: Any, config: "ServiceConfig") -> Any:
    """What is searched. Raises ``ConfigurationError`` where no database is named."""
    read = config.secret("database_url") if target is None else target
    if read is None:
        raise ConfigurationError("no database to search: set RAGSPINE_DATABASE_URL, or open(URL)")
    return read


def writer(target: Any, config: "ServiceConfig") -> Any:
    """What is written to. Raises ``ConfigurationError`` where no database is named."""
    write = config.secret("ingest_url") if target is None else target
    if write is None:
        raise ConfigurationError("no database to write to: set RAGSPINE_INGEST_URL, or open(URL)")
    return write


def reading_alone() -> ConfigurationError:
    """The error of a facade that was opened without a login to write."""
    return ConfigurationError("opened for reading alone: set RAGSPINE_INGEST_URL, or open(…, ingest=…), to write")


def start_embedded(config: "ServiceConfig", grant_key: str | None) -> "EmbeddedServer":
    """The running embedded server, which has a key that signs grants. To be closed by the caller.

    A key that is given or set becomes the server's when it has none yet. Raises ``ConfigurationError`` for a malformed
    one, whether it would be used or not.
    """
    from ragspine_pg.connect.embedded import EmbeddedServer

    key = grant_key_of(grant_key, config)
    server = EmbeddedServer.open(config.home, pg_bin=config.pg_bin)
    try:
        if server.grant_key is None:
            # Kept before the database has it, so that a crash between the two loses nothing.
            server.store_grant_key((key or GrantKey.new()).text)
    except BaseException:
        server.close()
        raise
    return server


def require_older(error: SchemaError, server: "EmbeddedServer | None") -> None:
    """Raise ``error`` where another build or a newer release was here: nothing for this one to migrate."""
    if isinstance(error, SchemaMismatch) and server is not None:
        raise mismatch_at(str(server.home))
    if error.ids.get("found", HEAD) not in REVISIONS:
        raise error


def migrate_as(owner: Any, server: "EmbeddedServer | None", config: "ServiceConfig") -> "Migrated":
    """See ``RagSpine.migrate``."""
    from ragspine_pg.schema.migrate import migrate

    if owner is None:
        raise ConfigurationError("no owner to migrate as: set RAGSPINE_OWNER_URL, or open(…, owner=…)")
    return migrate(owner, grant_key=server.grant_key if server is not None else config.secret("grant_key"))


def index_as(owner: Any, report: FoldReport, tenant: str, library_id: str) -> FoldReport:
    """``report``, and what an owner at hand did about the library's vector index: see ``RagSpine.optimize``.

    An owner that cannot build one is told of in the report: what was folded is committed by now.
    """
    if owner is None:
        return report
    from ragspine_pg.schema.lend import why_not_outside
    from ragspine_pg.schema.vector_index import build_vector_index

    if (reason := why_not_outside(owner)) is not None:
        return replace(report, no_vector_index=reason)
    return replace(report, vector_index=build_vector_index(owner, tenant, library_id).value)
