"""How a seam's implementation is chosen by name; the factories of the seams are thin over it."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, TypeVar

from ragspine_pg.contract.option import require_options
from ragspine_pg.errors import ConfigurationError

T = TypeVar("T")

NONE: Final = "none"
"""The name of no implementation at all."""


def select(
    kind: str, choice: object, options: Mapping[str, Any], *, ours: Mapping[str, str], group: str, protocol: type[T]
) -> T | None:
    """The implementation called ``choice`` made with ``options``, the one handed in, or None for None and ``"none"``.

    ``ours`` maps names to ``module:attribute``, imported when it is made; entry points of ``group`` come after them.
    Raises ``ConfigurationError`` for an unknown name (it lists the known ones), options that it does not take, or what
    does not follow ``protocol``.
    """
    if not isinstance(choice, str):
        if options:
            raise ConfigurationError(f"options go with a {kind}'s name; one that is already made keeps its own")
        if choice is not None and not isinstance(choice, protocol):
            raise ConfigurationError(f"a {kind} is a name or an object with what {protocol.__name__} names")
        return choice
    if choice == NONE:
        if options:
            raise ConfigurationError(f"no {kind} takes no options, such as: {', '.join(options)}")
        return None
    factory = _find(kind, choice, ours, group)
    require_options(f"{kind} {choice!r}", factory, options)
    made = factory(**options)
    if not isinstance(made, protocol):
        raise ConfigurationError(f"what entry point {choice!r} made is no {kind}")
    return made


def _find(kind: str, name: str, ours: Mapping[str, str], group: str) -> Any:
    if name in ours:
        module, _, attribute = ours[name].partition(":")
        return getattr(import_module(module), attribute)
    offered = entry_points(group=group)
    if name not in offered.names:
        known = ", ".join([NONE, *ours, *sorted(offered.names - ours.keys() - {NONE})])
        raise ConfigurationError(f"no {kind} is called {name!r}; there are: {known}")
    return offered[name].load()
