"""Drops a library with everything in it, and lists the libraries there are."""

from ragspine_pg.contract.ingest import LibraryInfo
from ragspine_pg.contract.name import require_name
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import open_target
from ragspine_pg.statement.catalogue import query

_LOCK_VERSIONS = query("ingest_lock_versions", int)
_AWAIT_RELABELS = query("ingest_await_relabels", int)
_LOCK_DOCUMENTS = query("ingest_lock_library", int)
_KEEP_LAST_VERSION = query("ingest_keep_last_version")
_DROP_VERSIONS = query("ingest_drop_versions")
_DROP_DOCUMENTS = query("ingest_drop_documents")
_DROP_LIBRARY = query("ingest_drop_library")
_LIST = query("ingest_list_libraries", LibraryInfo)


def drop_library(tenant: str, library_id: str) -> Flow[int]:
    """Delete a library, its versions and its documents; the number of documents. Raises ``NotFound``.

    The tenant and its access classes stay: they are shared by all of the tenant's libraries. So does the number of the
    last version: a library made anew under that id goes on counting, and no cursor of the old one fits it.
    """
    target = yield from open_target(tenant, library_id)
    place = {"tenant_no": target.tenant_no, "library_no": target.library_no}
    # The order of locks of every writer (docs/adr/0005). Once all are held nobody else writes here, so that the rows
    # can go from the versions upwards without waiting.
    yield from fetch(_LOCK_VERSIONS, **place)
    yield from fetch(_AWAIT_RELABELS, **place)
    documents = yield from fetch(_LOCK_DOCUMENTS, **place)
    for statement in (_KEEP_LAST_VERSION, _DROP_VERSIONS, _DROP_DOCUMENTS, _DROP_LIBRARY):
        yield from fetch(statement, **place)
    return documents[0]


def list_libraries(tenant: str | None) -> Flow[list[LibraryInfo]]:
    """The libraries of a tenant, or of all; by name. Raises ``ConfigurationError`` for what can be no tenant."""
    if tenant is not None:
        require_name("tenant", tenant, ConfigurationError)
    return (yield from fetch(_LIST, tenant=tenant))
