"""Who a search runs for."""

from collections.abc import Callable
from dataclasses import dataclass

from ragspine_pg.contract.access import Access


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a search runs for, and how to sign a grant that proves it to the database.

    Signed when a transaction begins, and not when the call does: a grant is short-lived, a model may take its time.
    """

    access: Access
    sign: Callable[[], str]
    single_login: bool = False
