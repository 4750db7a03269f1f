"""Which options a factory takes: named where they do not fit, before it is called."""

import inspect
from collections.abc import Mapping
from typing import Any, Final

from ragspine_pg.errors import ConfigurationError

_BY_NAME: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def require_options(what: str, factory: Any, options: Mapping[str, Any], **ids: str) -> None:
    """Raise ``ConfigurationError`` unless ``factory`` can be called with ``options``.

    The message begins with ``what`` is made, and names the options that are missing or not known; no value of theirs.
    """
    if not callable(factory):
        raise ConfigurationError(f"{what} cannot be made: its entry point names nothing that can be called", **ids)
    try:
        parameters = inspect.signature(factory).parameters
    except ValueError:  # something built in, which does not say what it takes
        return
    taken = {name: parameter for name, parameter in parameters.items() if parameter.kind in _BY_NAME}
    missing = [name for name, found in taken.items() if found.default is found.empty and name not in options]
    more = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    unknown = [] if more else [name for name in options if name not in taken]
    faults = []
    if missing:
        faults.append(f"needs {', '.join(missing)}")
    if unknown:
        known = ", ".join(taken) or "none"
        faults.append(f"has no option {', '.join(map(ascii, unknown))} (its options: {known})")
    if faults:
        raise ConfigurationError(f"{what} {', and '.join(faults)}", **ids)
