"""Who asks: the identity under which a search runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_pg.contract.name import require_name, require_names
from ragspine_pg.errors import ConfigurationError


@dataclass(frozen=True, slots=True, init=False)
class Access:
    """A tenant and the principals (user, groups) the caller holds there, from the application's authenticated state.

    Without a principal nothing is readable, not even what is open to every member of the tenant. Raises
    ``ConfigurationError`` on a blank name, one of more than 1,024 bytes of UTF-8, a NUL or lone surrogate (naming its
    offset), or a bare string where principals are meant.
    """

    tenant: str
    principals: frozenset[str]

    def __init__(self, tenant: str, principals: Iterable[str] = ()) -> None:
        object.__setattr__(self, "tenant", require_name("tenant", tenant, ConfigurationError))
        object.__setattr__(self, "principals", require_names("principals", principals, ConfigurationError))
