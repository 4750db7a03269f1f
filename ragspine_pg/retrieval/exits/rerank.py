"""Exit ``rerank``: text handed to a judge, be it a model or a person's program."""

import hashlib
from collections.abc import Sequence

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.passage import Passage


def through_rerank(
    passages: Sequence[Passage], access: Access, *, remote: bool, confidential_may_leave: bool = False
) -> list[Passage]:
    """The passages whose text a judge may see for ``access``, in their order.

    CONFIDENTIAL text goes to no judge marked ``remote`` unless the library opted in (``confidential_may_leave``);
    RESTRICTED text, and text under a label that is not known, to none at all.
    """
    sendable = []
    for passage in passages:
        match passage.sensitivity:
            case "PUBLIC" | "INTERNAL":
                label_allows = True
            case "CONFIDENTIAL":
                label_allows = confidential_may_leave or not remote
            case _:
                label_allows = False
        names = access.principals if passage.open_to_members else access.principals & passage.reader_principals
        digest = hashlib.sha256(passage.text.encode("utf-8")).hexdigest()
        if label_allows and names and passage.tenant == access.tenant and passage.locator.endswith(f";sha256={digest}"):
            sendable.append(passage)
    return sendable
