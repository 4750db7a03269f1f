"""Who may read a document, as it is handed in."""

from collections.abc import Iterable
from typing import Any, Final

from ragspine_pg.contract.name import require_names
from ragspine_pg.errors import InvalidDocument

SHOWN: Final = 3
"""How many readers a warning names."""


def require_readers(readers: Any, **ids: str) -> frozenset[str]:
    """``readers`` as a set of principals. Raises ``InvalidDocument``, also for a name that begins with ``@``: such
    stand for no principal, and a document for ``@members`` would be hidden from every one of them.
    """
    names = require_names("readers", readers, InvalidDocument, **ids)
    if any(name.startswith("@") for name in names):
        raise InvalidDocument(
            "one of readers begins with @, and no principal does: leave readers out for every member of the tenant, and"
            " give none for nobody",
            field="readers",
            **ids,
        )
    return names


def kindless_readers(readers: Iterable[str]) -> set[str]:
    """Those that are of no kind, such as ``staff``: where askers are ``group:staff``, nobody reads for them."""
    return {name for name in readers if ":" not in name}


def readers_warning(kindless: Iterable[str]) -> str:
    """What to tell of ``kindless_readers``, of which there are some."""
    first, *more = sorted(kindless)[:SHOWN]
    shown = ", ".join(map(repr, [first, *more]))
    return (
        f"readers without a kind, such as {shown}: they are those who ask by that very name, and {f'group:{first}'!r}"
        " is another"
    )


def widened_warning(documents: int) -> str:
    """What to tell of stored documents, of which there are some, that an ingest gives to more than could read them."""
    are, them = ("document is", "it") if documents == 1 else ("documents are", "them")
    return (
        f"{documents:,} stored {are} now open to readers who could not read {them} before, or under a lower label,"
        " since this call says so; a document that says keep={'readers', 'sensitivity'} leaves both as they are stored"
    )
