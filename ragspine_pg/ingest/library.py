"""Creates a library: its tenant, declared fields, and a first index version, empty and published."""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any, get_args

from ragspine_pg.contract.analyzer import canonical_analyzer, lexemes_per_code_point
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.ingest import Statistics, VersionInfo
from ragspine_pg.contract.metadata import dump_json, freeze_metadata, load_json
from ragspine_pg.contract.name import require_name, require_text
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.contract.space import EmbeddingSpace
from ragspine_pg.embedding.known import embedding_profile
from ragspine_pg.errors import ConfigurationError, LibraryExists, QueryError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.difference import Path, differences, with_unnamed
from ragspine_pg.ingest.target import begin, find_target
from ragspine_pg.ingest.versions import list_versions
from ragspine_pg.statement.catalogue import query

FIELD_TYPES = ("string", "number", "boolean", "timestamp")

_CHECK_ANALYZER = query("ingest_check_analyzer", int)
_ADD_TENANT = query("ingest_add_tenant")
_ADD_LIBRARY = query("ingest_add_library")
_DESCRIBE = query("ingest_describe_library")
_ADD_FIELDS = query("ingest_add_fields")
_LIST_FIELDS = query("ingest_list_fields")
_SETTINGS = ("k1", "b", "pivot", "title_weight", "fusion", "embed_confidential")
PROFILE_KEYS = (*_SETTINGS, "chunker_options", "embedding_options")
"""What a caller's profile may set."""

MAX_TITLE_WEIGHT = 10

_WHOLE: Collection[Path] = (("analyzer",), ("chunker",), ("embedding",), ("statistics",))

_ADD_SPACE = query("ingest_add_space", int)
_ADD_VERSION = query("ingest_add_version")


def create_library(
    tenant: str,
    library_id: str,
    *,
    chunker: Chunker,
    chunker_options: Mapping[str, Any] | None = None,
    description: str = "",
    analyzer: str = "english",
    fields: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
    profile: Mapping[str, Any] | None = None,
    embedding: EmbeddingModel | None = None,
    statistics: Statistics = "class",
    named: Collection[Path] = _WHOLE,
    exist_ok: bool = False,
) -> Flow[VersionInfo]:
    """Make a library, and its tenant if that is new; its published version.

    ``fields``: declared metadata fields, name to type. ``profile`` may set ``k1``, ``b``, ``title_weight`` (how often a
    title's words count: 1 to 10) and ``pivot`` (lexemes, or
    ``"measured"``: the mean length of the chunks, for a library of one access class or with ``statistics="library"``).
    ``chunker_options`` are those ``make_chunker`` needs to make the same chunker again. ``embedding``: the model that
    fills the version's space. With ``exist_ok`` a library of that name is accepted when it is the same in all that is
    asked for: the ``fields``, if given, the settings in ``profile``, and those parts of analyzer, chunker, embedding
    and statistics that ``named`` leads to. It takes on the description, if one is given.

    Raises ``ConfigurationError`` for a blank or too long name, an unknown analyzer, field type or profile key, or a
    value of another type or out of range; ``LibraryExists``.
    """
    for argument, name in (("tenant", tenant), ("library_id", library_id), ("analyzer", analyzer)):
        require_name(argument, name, ConfigurationError)
    require_text("description", description, ConfigurationError)
    declared = _declared(fields)
    for name, kind in declared.items():
        if kind not in FIELD_TYPES:
            raise ConfigurationError(f"field {name!r}: a type is one of {', '.join(FIELD_TYPES)}", field=name)
    written = complete_profile(analyzer, chunker, chunker_options or {}, profile or {}, embedding, statistics)
    pivot = first_pivot(written, chunker)
    yield from begin()
    yield from check_analyzer(analyzer)
    yield from fetch(_ADD_TENANT, tenant=tenant)
    added = yield from fetch(_ADD_LIBRARY, tenant=tenant, library_id=library_id, description=description)
    if added:
        tenant_no, library_no = added[0]
        yield from fetch(
            _ADD_FIELDS,
            tenant_no=tenant_no,
            library_no=library_no,
            names=list(declared),
            types=list(declared.values()),
        )
        yield from add_version(tenant_no, library_no, "published", written, pivot, embedding)
    else:
        target = yield from find_target(tenant, library_id)
        tenant_no, library_no = target.tenant_no, target.library_no
        stored = yield from fetch(_LIST_FIELDS, tenant_no=tenant_no, library_no=library_no)
        if not exist_ok:
            raise LibraryExists(
                f"library {tenant}/{library_id} exists; exist_ok=True accepts one that is made alike",
                tenant=tenant,
                library=library_id,
            )
        # What was left to its default is as it was made: a default may change from release to release.
        paths = {*named, *((name,) for name in profile or {})} | (set() if fields is None else {("fields",)})
        made = {**target.profile, "fields": dict(stored)}
        asked = {**load_json(dump_json(written)), "fields": declared}
        if chunker.fingerprint == made["chunker"]["fingerprint"]:  # it cuts alike, however its options are spelled
            asked["chunker"] = made["chunker"]
        told = differences(made, with_unnamed(made, asked, paths))
        if told:
            raise LibraryExists(
                f"library {tenant}/{library_id} exists and is made otherwise: {'; '.join(told)}",
                tenant=tenant,
                library=library_id,
            )
        if description:
            yield from fetch(_DESCRIBE, tenant_no=tenant_no, library_no=library_no, description=description)
    versions = yield from list_versions(tenant, library_id)
    return next(version for version in versions if version.state == "published")


def add_version(
    tenant_no: int,
    library_no: int,
    state: str,
    profile: Mapping[str, Any],
    pivot: float,
    embedding: EmbeddingModel | None,
) -> Flow[tuple[int, int]]:
    """Add a version of a library in this state; its number in the store, and its number among the library's."""
    space_no = None if embedding is None else (yield from add_space(tenant_no, embedding.space))
    rows = yield from fetch(
        _ADD_VERSION,
        tenant_no=tenant_no,
        library_no=library_no,
        state=state,
        analyzer=profile["analyzer"],
        k1=float(profile["k1"]),
        b=float(profile["b"]),
        pivot=pivot,
        statistics=profile["statistics"],
        profile=dump_json(profile),
        space_no=space_no,
        dimensions=None if embedding is None else embedding.space.dimensions,
    )
    return rows[0][0], rows[0][1]


def add_space(tenant_no: int, space: EmbeddingSpace) -> Flow[int]:
    """The number of an embedding space, made if the tenant has none of its fingerprint."""
    rows = yield from fetch(
        _ADD_SPACE,
        tenant_no=tenant_no,
        fingerprint=space.fingerprint,
        dimensions=space.dimensions,
        distance=space.distance.value,
        description=dump_json(space.to_json()),
    )
    return rows[0]


def options_of(profile: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A caller's profile without its ``chunker_options`` and ``embedding_options``, and those.

    Raises ``ConfigurationError`` for what is no mapping.
    """
    rest = mapping_of("profile", {} if profile is None else profile)
    cut, embedded = rest.pop("chunker_options", {}), rest.pop("embedding_options", {})
    return rest, mapping_of("chunker_options", cut), mapping_of("embedding_options", embedded)


def mapping_of(argument: str, value: Any) -> dict[str, Any]:
    """A caller's mapping of names to values. Raises ``ConfigurationError`` naming the argument for another thing."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ConfigurationError(f"{argument} is a mapping of names to values", argument=argument)
    return dict(value)


def complete_profile(
    analyzer: str,
    chunker: Chunker,
    chunker_options: Mapping[str, Any],
    profile: Mapping[str, Any],
    embedding: EmbeddingModel | None = None,
    statistics: Statistics = "class",
) -> dict[str, Any]:
    """The whole profile of a version as it is stored, defaults filled in; raises ``ConfigurationError``."""
    unknown = sorted(set(map(str, profile)) - set(_SETTINGS))
    if unknown:
        raise ConfigurationError(f"a profile sets {', '.join(PROFILE_KEYS)}, not {', '.join(map(ascii, unknown))}")
    pivot = profile.get("pivot", default_pivot(analyzer, chunker))
    more: dict[str, Any] = {}
    if embedding is not None:
        more["embedding"] = freeze_metadata(embedding_profile(embedding))
    if "fusion" in profile:
        more["fusion"] = _fusion(profile["fusion"])
    if profile.get("embed_confidential", False) is not False:
        if profile["embed_confidential"] is not True:
            raise ConfigurationError("profile embed_confidential is true or false", argument="profile")
        more["embed_confidential"] = True
    if (weight := _title_weight(profile.get("title_weight", 1))) > 1:
        more["title_weight"] = weight
    if statistics not in get_args(Statistics):
        raise ConfigurationError('statistics is "class" or "library"', argument="statistics")
    return more | {
        "analyzer": canonical_analyzer(analyzer),
        "statistics": statistics,
        "chunker": {
            "name": chunker.name,
            "options": freeze_metadata(chunker_options),
            "fingerprint": chunker.fingerprint,
        },
        "k1": _number("k1", profile.get("k1", 1.2), 0, 1000),
        "b": _number("b", profile.get("b", 0.75), 0, 1),
        "pivot": pivot if pivot == "measured" else _number("pivot", pivot, 1, 1_000_000, " or 'measured'"),
    }


def _title_weight(value: Any) -> int:
    """How often a title's words count."""
    whole = isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())
    if isinstance(value, bool) or not whole or not 1 <= value <= MAX_TITLE_WEIGHT:
        message = f"profile title_weight is a whole number from 1 to {MAX_TITLE_WEIGHT}"
        raise ConfigurationError(message, argument="profile")
    return int(value)


def _fusion(value: Any) -> dict[str, Any]:
    """The defaults of a version: a method and weights of its legs."""
    try:
        asked = Fusion.of(value)
    except QueryError as error:
        raise ConfigurationError(f"profile fusion: {error}") from None
    if asked.libraries is not None or asked.min_scores is not None:
        raise ConfigurationError("profile fusion holds method and weights alone")
    return {name: _exact(part) for name, part in (asked.to_json() or {}).items()}


def _exact(part: Any) -> Any:
    return {leg: Decimal(repr(weight)) for leg, weight in part.items()} if isinstance(part, Mapping) else part


def default_pivot(analyzer: str, chunker: Chunker) -> float:
    """About how many lexemes a chunk of the chunker's target length has.

    Lexemes per code point as measured on judged collections (``docs/adr/0002``, ``docs/adr/0014``): one in ten where
    stop words go, one in six where all words stay, one in four with their beginnings, three in four for bigrams.
    """
    return float(max(1, round(chunker.target_length * lexemes_per_code_point(analyzer))))


def first_pivot(profile: Mapping[str, Any], chunker: Chunker) -> float:
    """The pivot that a version of this profile begins with; one that is measured is so once there are chunks."""
    if profile["pivot"] == "measured":
        return default_pivot(profile["analyzer"], chunker)
    return float(profile["pivot"])


def check_analyzer(analyzer: str) -> Flow[None]:
    """Raise ``ConfigurationError`` unless the database knows the analyzer."""
    require_name("analyzer", analyzer, ConfigurationError)
    try:
        yield from fetch(_CHECK_ANALYZER, analyzer=analyzer)
    except ConfigurationError as error:
        raise ConfigurationError(f"analyzer {analyzer!a}: {error}", argument="analyzer") from None


def _number(name: str, value: Any, lowest: float, highest: float, other: str = "") -> Decimal:
    known = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if not known or (isinstance(value, Decimal) and value.is_nan()) or not lowest <= value <= highest:
        raise ConfigurationError(f"profile {name} is a number from {lowest} to {highest}{other}", argument="profile")
    return Decimal(repr(float(value)))


def _declared(fields: Any) -> dict[str, Any]:
    pairs = () if fields is None else fields.items() if isinstance(fields, Mapping) else fields
    try:
        named = [(name, kind) for name, kind in pairs]
    except (TypeError, ValueError):
        raise ConfigurationError("fields is a mapping of names to types, or pairs of them", argument="fields") from None
    return {require_name("a name in fields", name, ConfigurationError): kind for name, kind in named}
