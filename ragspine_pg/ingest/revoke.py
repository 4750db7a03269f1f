"""Takes a signed grant back before it expires."""

from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

_REVOKE = query("revoke_grant", bool)


def revoke_grant(grant: str) -> Flow[bool]:
    """See ``Ingestor.revoke``."""
    if not isinstance(grant, str) or "\0" in grant:
        raise ConfigurationError("a grant is the text that grant() has signed")
    (revoked,) = yield from fetch(_REVOKE, grant=grant)
    return revoked
