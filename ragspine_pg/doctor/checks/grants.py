"""Whether what this process signs is what the database verifies."""

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.doctor.check import Case, error, fine
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.errors import ConfigurationError, GrantInvalid
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

_ASSUME = query("doctor_assume")
_COUNT_KEYS = query("doctor_count_keys", int)

_SET_KEY = (
    "set RAGSPINE_GRANT_KEY to a key of this database, as `migrate` or `keys --add` showed it when it made one"
    " (`ragspine-pg keys` lists those in use)"
)
_NEW_KEY = "is it lost: `ragspine-pg keys --add` as the owner makes another and shows it"


def keys(case: Case) -> Flow[list[Finding]]:
    """There is a key in use."""
    (count,) = yield from fetch(_COUNT_KEYS)
    if count:
        return [fine(f"{count} in use")]
    fix = "as the owner: `ragspine-pg keys --add`"
    return [error("the database has no key that verifies grants, so nothing is readable", fix)]


def grant(case: Case) -> Flow[list[Finding]]:
    """A grant for a tenant that need not exist, signed with our key."""
    text = case.installation.grant_key
    if text is None:
        return [error("there is no key to sign grants with, so nothing can be searched", f"{_SET_KEY}; {_NEW_KEY}")]
    try:
        key = GrantKey.parse(text)
    except ConfigurationError as failure:
        return [error(str(failure), _SET_KEY)]
    signed = mint_grant(key, Access("ragspine-doctor", {"ragspine-doctor"}), now=case.installation.clock())
    try:
        yield from fetch(_ASSUME, grant=signed)
    except GrantInvalid as failure:
        return [error(f"a grant signed with key {key.key_id} is refused: {failure}", f"{_SET_KEY}; {_NEW_KEY}")]
    return [fine(f"key {key.key_id}")]
