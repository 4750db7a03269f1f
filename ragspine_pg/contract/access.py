"""Who asks: the identity under which a search runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import ConfigurationError


@dataclass(frozen=True, slots=True, init=False)
class Access:
    """A tenant and the principals (user, groups) the caller holds there, from the application's authenticated state.

    Without a principal nothing is readable, not even what is open to every member of the tenant. Raises
    ``ConfigurationError`` on a blank name, a NUL or lone surrogate, or a bare string where principals are meant.
    """

    tenant: str
    principals: frozenset[str]

    def __init__(self, tenant: str, principals: Iterable[str] = ()) -> None:
        if isinstance(principals, str):
            raise ConfigurationError("principals is a collection of names, not one string: Access(tenant, {name})")
        names = frozenset(principals)
        for name in (tenant, *names):
            if not isinstance(name, str) or not name.strip() or unstorable_offset(name) is not None:
                raise ConfigurationError("tenant and principals are non-blank strings without NUL or lone surrogates")
        object.__setattr__(self, "tenant", tenant)
        object.__setattr__(self, "principals", names)
