"""Lists the index versions of a library."""

from typing import Any

from ragspine_pg.contract.ingest import VersionInfo
from ragspine_pg.contract.metadata import load_json
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import find_target
from ragspine_pg.statement.catalogue import query


def _version(*facts: Any) -> VersionInfo:
    number, state, analyzer, k1, b, pivot, profile, *rest = facts
    return VersionInfo(number, state, analyzer, k1, b, pivot, load_json(profile), *rest)


_LIST = query("ingest_list_versions", _version)


def list_versions(tenant: str, library_id: str) -> Flow[list[VersionInfo]]:
    """The versions of a library, newest first; raises ``NotFound``."""
    target = yield from find_target(tenant, library_id)
    return (yield from fetch(_LIST, tenant_no=target.tenant_no, library_no=target.library_no))
