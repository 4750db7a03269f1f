"""Where a writing call writes: a library and one of its versions, as the statement that found them saw them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragspine_pg.contract.metadata import load_json
from ragspine_pg.contract.name import require_name
from ragspine_pg.errors import ConfigurationError, EnvironmentChanged, NotFound
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

_BEGIN = query("ingest_begin")
_FIND = query("ingest_find_library")


@dataclass(frozen=True, slots=True)
class Target:
    """A library and a version of it, the published one unless another was asked for.

    Names that end in ``_no`` are keys of the store. ``moved``: under which server and locale the version was made and
    which these are now, where new lexemes might differ; else None.
    """

    tenant: str
    library_id: str
    tenant_no: int
    library_no: int
    version_no: int
    version: int
    state: str
    analyzer: str
    k1: float
    b: float
    pivot: float
    profile: Mapping[str, Any]
    space_no: int | None = None
    dimensions: int | None = None
    moved: tuple[str, str] | None = None

    @property
    def measured(self) -> bool:
        """Whether the length pivot is the mean length of the chunks, set anew by every ingest."""
        return self.profile.get("pivot") == "measured"

    @property
    def title_weight(self) -> int:
        """How often the words of a document's title count."""
        return int(self.profile.get("title_weight", 1))

    @property
    def by_class(self) -> bool:
        """Whether statistics are kept by access class, so that scores tell of nothing a caller may not read."""
        return bool(self.profile["statistics"] == "class")


def begin() -> Flow[None]:
    """Prepare the transaction; raises ``ConfigurationError`` unless it is READ COMMITTED."""
    rows = yield from fetch(_BEGIN)
    if not rows[0][0]:
        raise ConfigurationError(
            "writing needs a READ COMMITTED transaction: a lock is taken first, and what it protects is read afterwards"
        )


def open_target(
    tenant: str, library_id: str, *, version: int | None = None, check_environment: bool = False
) -> Flow[Target]:
    """``find_target`` in a transaction that is fit for writing."""
    yield from begin()
    return (yield from find_target(tenant, library_id, version=version, check_environment=check_environment))


def find_target(
    tenant: str, library_id: str, *, version: int | None = None, check_environment: bool = False
) -> Flow[Target]:
    """Find a library and its published version, or the one of that number.

    Raises ``NotFound``, whose ``ids`` name the version where that alone is missing, and else say ``missing="library"``;
    ``ConfigurationError`` for a malformed name; and if asked ``EnvironmentChanged``, as ``require_environment`` does.
    """
    require_name("tenant", tenant, ConfigurationError)
    require_name("library_id", library_id, ConfigurationError)
    if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
        raise ConfigurationError("a version is named by its number", argument="version")
    # No number of the store is larger, or negative.
    known = version is None or 0 < version < 2**31
    rows = (yield from fetch(_FIND, tenant=tenant, library_id=library_id, version=version)) if known else []
    if not rows and version is not None:
        yield from find_target(tenant, library_id)  # it is the library that may be missing
        raise NotFound(
            f"there is no version {version} of {tenant}/{library_id}",
            tenant=tenant,
            library=library_id,
            version=version,
        )
    if not rows:
        raise NotFound(
            f"there is no library {tenant}/{library_id}", tenant=tenant, library=library_id, missing="library"
        )
    tenant_no, library_no, version_no, number, state, analyzer, k1, b, pivot, profile, *rest = rows[0]
    space_no, dimensions, same, built_under, now_under = rest
    target = Target(
        tenant,
        library_id,
        tenant_no,
        library_no,
        version_no,
        number,
        state,
        analyzer,
        k1,
        b,
        pivot,
        load_json(profile),
        space_no,
        dimensions,
        None if same else (built_under, now_under),
    )
    if check_environment:
        require_environment(target)
    return target


def require_environment(target: Target) -> None:
    """Raise ``EnvironmentChanged`` when the version was made under another server major version or locale."""
    if target.moved is not None:
        built_under, now_under = target.moved
        raise EnvironmentChanged(
            f"{target.tenant}/{target.library_id} was indexed under {built_under}, and this server is {now_under}:"
            " rebuild it",
            tenant=target.tenant,
            library=target.library_id,
        )
