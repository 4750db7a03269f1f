"""Exit ``rerank``: text handed to a judge, be it a model or a person's program.

Two forms of a stored text leave through it: a passage with the rights it came with, and a hit, which a retriever has
already given to its caller. Both are judged by what they say of themselves, whatever was done before.
"""

import hashlib
import re
from collections.abc import Collection, Sequence

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.passage import Passage
from ragspine_pg.contract.result import Hit

_LOCATOR = re.compile(r"char=([0-9]{1,10}),([0-9]{1,10});sha256=([0-9a-f]{64})")


def through_rerank(
    passages: Sequence[Passage], access: Access, *, remote: bool, confidential_may_leave: bool = False
) -> list[Passage]:
    """The passages whose text a judge may see for ``access``, in their order.

    CONFIDENTIAL text goes to no judge marked ``remote`` unless the library opted in (``confidential_may_leave``);
    RESTRICTED text, and text under a label that is not known, to none at all.
    """
    sendable = []
    for passage in passages:
        names = access.principals if passage.open_to_members else access.principals & passage.reader_principals
        if (
            names
            and passage.tenant == access.tenant
            and _label_allows(passage.sensitivity, not remote or confidential_may_leave)
            and _is_its_slice(passage.text, passage.locator)
        ):
            sendable.append(passage)
    return sendable


def hits_through_rerank(
    hits: Sequence[Hit], access: Access, *, remote: bool, confidential_libraries: Collection[str] = ()
) -> list[Hit]:
    """The hits whose text a judge may see for ``access``, in their order; as ``through_rerank``.

    A hit does not carry its readers: that ``access`` may read it was decided where it came from. What is left to judge
    is judged. ``confidential_libraries`` are the ids of those that opted in.
    """
    return [
        hit
        for hit in hits
        if access.principals
        and hit.tenant == access.tenant
        and _label_allows(hit.sensitivity, not remote or hit.library_id in confidential_libraries)
        and _is_its_slice(hit.text, hit.locator)
    ]


def _label_allows(label: str, confidential: bool) -> bool:
    match label:
        case "PUBLIC" | "INTERNAL":
            return True
        case "CONFIDENTIAL":
            return confidential
        case _:
            return False


def _is_its_slice(text: str, locator: str) -> bool:
    found = _LOCATOR.fullmatch(locator) if isinstance(locator, str) else None
    if found is None or not isinstance(text, str) or int(found[2]) - int(found[1]) != len(text):
        return False
    try:
        return hashlib.sha256(text.encode("utf-8")).hexdigest() == found[3]
    except UnicodeEncodeError:  # a lone surrogate: nothing that was stored
        return False
