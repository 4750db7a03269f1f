"""Exit ``link``: evidence handed to the caller."""

from collections.abc import Iterable

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.locator import Locator, slice_sha256
from ragspine_pg.contract.passage import Passage

_MAY_LEAVE = frozenset({Sensitivity.PUBLIC.value, Sensitivity.INTERNAL.value, Sensitivity.CONFIDENTIAL.value})


def through_link(passages: Iterable[Passage], access: Access) -> list[Passage]:
    """The passages that ``access`` may read and whose text is what was indexed, in their order.

    Judged by the rights that came with each passage, whatever the legs did before. An unknown label, a foreign tenant,
    no matching reader, or a text that is not the slice its locator names: the passage stays here, without a word.
    """
    return [passage for passage in passages if _readable(passage, access) and _verbatim(passage)]


def _readable(passage: Passage, access: Access) -> bool:
    if passage.tenant != access.tenant or passage.sensitivity not in _MAY_LEAVE:
        return False
    if passage.open_to_members:
        return bool(access.principals)
    return not access.principals.isdisjoint(passage.reader_principals)


def _verbatim(passage: Passage) -> bool:
    try:
        locator = Locator.parse(passage.locator)
    except ValueError:
        return False
    return locator.end - locator.start == len(passage.text) and slice_sha256(passage.text) == locator.sha256
