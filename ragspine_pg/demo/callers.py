"""Who asks in the tour."""

from typing import Final

from ragspine_pg.contract.access import Access

MIA: Final = Access("demo-acme", {"user:mia", "group:staff"})
FRED: Final = Access("demo-acme", {"user:fred", "group:finance"})
GINA: Final = Access("demo-globex", {"user:gina", "group:staff"})

WHO: Final = {MIA: "Mia, staff of acme,", FRED: "Fred, finance of acme,", GINA: "Gina, staff of globex,"}
"""How the tour calls each of them."""
