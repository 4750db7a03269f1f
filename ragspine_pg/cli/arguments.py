"""From words of the command line to values, with errors that say what was expected."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, cast

import typer

from ragspine_pg.chunking.registry import CHUNKERS
from ragspine_pg.cli.failure import Mistake
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.ingest import Statistics
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.embedding.registry import EMBEDDING_MODELS
from ragspine_pg.ingest.library import PROFILE_KEYS

LANGUAGES: Final = (
    "arabic, armenian, basque, catalan, danish, dutch, english, finnish, french, german, greek, hindi, hungarian,"
    " indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish,"
    " swedish, tamil, turkish, yiddish"
)
"""Those that every supported server has; ``pg_catalog.pg_ts_config`` lists a server's own."""

LibraryArgument = Annotated[str, typer.Argument(metavar="TENANT/LIBRARY", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Write one JSON object to stdout, and nothing else there.")]
_AT: Final = ": no principal begins with @, and any of them reads what is for every member"
AsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        metavar="PRINCIPAL",
        help="Who asks, as readers are named, such as group:staff; repeat it, or write P,P. Without it nothing is"
        " readable.",
    ),
]
ReadersOption = Annotated[
    str | None,
    typer.Option(
        metavar="P,P|@members|@nobody",
        help="Who may read: principals such as group:staff, every member of the tenant, or nobody.",
        show_default=False,
    ),
]
SensitivityOption = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED.", show_default=False),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help=f"An object of {', '.join(PROFILE_KEYS)}, such as"
        ' {"k1": 1.2, "pivot": 120}; with --chunker default also {"chunker_options": {"size": 800}}.',
    ),
]
AnalyzerOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"simple, cjk, multilingual, or a Snowball language: {LANGUAGES}. With +fold (accents) or"
        " +code (identifiers); or several with commas between, from which a document's language chooses.",
    ),
]
EmbeddingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"What embeds texts: {', '.join(EMBEDDING_MODELS)}, or an installed package's; none: no vectors.",
    ),
]
ChunkerOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"How documents are cut into chunks: {', '.join(CHUNKERS)}, or an installed package's.",
    ),
]
StatisticsOption = Annotated[
    str | None,
    typer.Option(
        metavar="class|library",
        help="What BM25 counts: class (what a caller may read), or library (all but RESTRICTED: faster with very many"
        " classes, and scores tell of words in texts a caller may not read).",
    ),
]
FusionOption = Annotated[
    str | None,
    typer.Option(
        metavar="F",
        help="How rankings become one: rrf (reciprocal rank), convex (scores), or a JSON object of method, weights,"
        " libraries and min_scores.",
    ),
]

MEMBERS = "@members"
NOBODY = "@nobody"


@dataclass(frozen=True, slots=True)
class Place:
    """A tenant, and the libraries named in it; none means all that are readable."""

    tenant: str
    libraries: tuple[str, ...]

    @property
    def library(self) -> str:
        """The one library of a ``one_library`` place."""
        return self.libraries[0]


def one_library(text: str) -> Place:
    """``TENANT/LIBRARY``. Raises ``Mistake``."""
    place = some_libraries(text)
    if len(place.libraries) != 1:
        raise Mistake(f"name one library as TENANT/LIBRARY, for example acme/handbook, not {text!r}")
    return place


def some_libraries(text: str) -> Place:
    """``TENANT`` or ``TENANT/LIBRARY[,LIBRARY...]``. Raises ``Mistake``."""
    tenant, slash, rest = text.partition("/")
    names = tuple(dict.fromkeys(rest.split(","))) if slash else ()
    if not tenant.strip() or any(not name.strip() for name in names):
        raise Mistake(
            f"{text!r} names no library: write TENANT/LIBRARY, for example acme/handbook (to search: TENANT for all"
            " that is readable, or TENANT/LIBRARY,LIBRARY)"
        )
    return Place(tenant, names)


def one_tenant(text: str) -> str:
    """``TENANT`` alone. Raises ``Mistake``: what seems to be for one library would be for all."""
    if "/" in text or not text.strip():
        raise Mistake(f"name a tenant alone, for example acme, not {text!r}: this is for all of a tenant's libraries")
    return text


def access_of(tenant: str, principals: list[str] | None) -> Access:
    """The ``Access`` of ``--as`` options, ``P`` or ``P,P`` each; without any, one that reads nothing.

    Raises ``Mistake`` for what names nobody, ``ConfigurationError``.
    """
    names = [name for text in principals or () for name in text.split(",")]
    for name in names:
        if not name or name != name.strip() or name.startswith("@"):
            raise Mistake(
                "--as takes principals with commas between them and no blanks around, for example user:mia,group:staff,"
                f" not {name!r}{_AT if name.startswith('@') else ''}"
            )
    return Access(tenant, names)


def readers_of(text: str) -> frozenset[str] | None:
    """``P,P``, ``@members`` (None: every member) or ``@nobody`` (the empty set). Raises ``Mistake``."""
    if text == MEMBERS:
        return None
    if text == NOBODY:
        return frozenset()
    names = [name.strip() for name in text.split(",")]
    if any(not name or name.startswith("@") for name in names):
        raise Mistake(
            f"--readers takes principals with commas between them, for example group:staff,user:mia, or {MEMBERS}, or"
            f" {NOBODY}, not {text!r}"
        )
    return frozenset(names)


def label_of(text: str) -> Sensitivity:
    """The label of ``--sensitivity``. Raises ``Mistake``."""
    try:
        return Sensitivity(text)
    except ValueError:
        raise Mistake(f"--sensitivity is one of {', '.join(Sensitivity)}, not {text!r}") from None


def object_of(option: str, text: str | None) -> Mapping[str, Any] | None:
    """The JSON object of an option, numbers exact; None for None. Raises ``Mistake``."""
    if text is None:
        return None
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        where = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise Mistake(
            f"{option} takes a JSON object, for example '{{\"year\": 2024}}'; this is no JSON{where}"
        ) from None
    if not isinstance(value, dict):
        raise Mistake(f"{option} takes a JSON object, for example '{{\"year\": 2024}}', not a JSON {_kind(value)}")
    return value


def filter_of(text: str | None) -> MetadataFilter | None:
    """The filter of ``--filter``; None for None. Raises ``InvalidFilter``."""
    return None if text is None else MetadataFilter.from_json(text)


def fusion_of(text: str | None) -> str | Mapping[str, Any] | None:
    """What ``--fusion`` says: a method's name, or an object. Raises ``Mistake``."""
    return object_of("--fusion", text) if text is not None and text.lstrip().startswith("{") else text


def statistics_of(text: str | None) -> Statistics | None:
    """What ``--statistics`` says; None for None. Raises ``Mistake``."""
    if text not in (None, "class", "library"):
        raise Mistake("--statistics is class or library")
    return cast(Statistics | None, text)


def fields_of(items: list[str] | None) -> dict[str, str] | None:
    """Declared fields of ``NAME:TYPE`` options; None where none is given. Raises ``Mistake``."""
    if not items:
        return None
    declared: dict[str, str] = {}
    for item in items:
        name, colon, kind = item.rpartition(":")
        if not colon or not name.strip():
            raise Mistake(f"--field takes NAME:TYPE, for example year:number, not {item!r}")
        if name in declared:
            raise Mistake(f"--field {name!r} is given more than once: a field has one type")
        declared[name] = kind
    return declared


def _kind(value: object) -> str:
    names = {list: "list", str: "string", bool: "boolean", int: "number", Decimal: "number", type(None): "null"}
    return names.get(type(value), "value")
