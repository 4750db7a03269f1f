"""Signs who a search runs for."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.grant import GRANT_SECONDS, GrantKey, mint_grant
from ragspine_pg.contract.identity import Identity
from ragspine_pg.errors import ConfigurationError

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig


@dataclass(frozen=True, slots=True)
class Signer:
    """The key that a retriever signs with, None without one, and whether its login may be one for everything."""

    key: GrantKey | None
    single_login: bool = False

    def grant(self, access: Access, *, seconds: int = GRANT_SECONDS) -> str:
        """See ``Retriever.grant``."""
        return mint_grant(self._required_key(), access, seconds=seconds)

    def identity(self, access: Access) -> Identity:
        """``access``, and a grant for it whenever one is needed.

        Raises ``ConfigurationError`` for what is no ``Access``, and without a key.
        """
        if not isinstance(access, Access):
            raise ConfigurationError("access is an Access(tenant, principals); without one nothing is readable")
        return Identity(access, partial(mint_grant, self._required_key(), access), self.single_login)

    def _required_key(self) -> GrantKey:
        if self.key is None:
            raise ConfigurationError(
                "no key to sign grants with: set RAGSPINE_GRANT_KEY, or open(…, grant_key=…), to what"
                " `ragspine-pg migrate` showed"
            )
        return self.key


def grant_key_of(given: str | None, config: "ServiceConfig") -> GrantKey | None:
    """The key that signs grants: given in the call, else set. Raises ``ConfigurationError`` for a malformed one."""
    text = config.secret("grant_key") if given is None else given
    return None if text is None else GrantKey.parse(text)
