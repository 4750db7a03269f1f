"""Who a search runs for."""

from dataclasses import dataclass

from ragspine_pg.contract.access import Access


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a search runs for, and the signed grant that proves it to the database."""

    access: Access
    grant: str
    single_login: bool = False
