"""Takes a signed grant back before it expires."""

from ragspine_pg.contract.name import require_text
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

_REVOKE = query("revoke_grant", bool)


def revoke_grant(grant: str) -> Flow[bool]:
    """See ``Ingestor.revoke``."""
    require_text("grant", grant, ConfigurationError)
    (revoked,) = yield from fetch(_REVOKE, grant=grant)
    return revoked
