"""How the statements of a search are planned, as auto_explain tells the reader's login."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from ragspine_pg import MetadataFilter
from tests.access.test_plans import LET_PLANS_OUT

SEARCH = "SELECT chunk_id FROM ragspine.search_lexical(%s, %s, %s, %s::jsonb)"

_TOLD = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_parameter_max_length": "0",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
}
_LARGE = "SELECT relname FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace AND relkind = 'r' AND relpages > 5"

Shape = tuple[Any, ...]
"""A node of a plan: its type, table, index, and those below it; no costs, no conditions."""

Plans = dict[str, frozenset[Shape]]
"""Of each statement that ran: how it was planned."""


@dataclass(frozen=True)
class Asked:
    """A tenant's library, and a grant for it."""

    tenant: str
    library: str
    grant: str


def tell_plans(superuser: psycopg.Connection[Any], database: str) -> frozenset[str]:
    """Have all plans told to readers of a database, once they connect; the tables of more than a few pages.

    Raises ``psycopg.errors.UndefinedFile`` on a server that comes without auto_explain.
    """
    superuser.execute("LOAD 'auto_explain'")
    for name, value in _TOLD.items():
        superuser.execute(f"ALTER ROLE reader IN DATABASE {database} SET {name} = '{value}'")
    superuser.execute("ANALYZE")
    return frozenset(table for (table,) in superuser.execute(_LARGE))


def keep_plans(superuser: psycopg.Connection[Any], database: str) -> None:
    """Have them told no more."""
    superuser.execute(f"ALTER ROLE reader IN DATABASE {database} RESET ALL")


@dataclass
class Client:
    """A connection, and the plans of what it asked last."""

    connection: psycopg.Connection[Any]
    prepare: bool
    plans: list[tuple[str, Shape]] = field(default_factory=list)

    def search(self, asked: Asked, query: str, narrowed: MetadataFilter | None = None) -> Plans:
        """Ten results of the tenant's, and how each statement of it was planned."""
        self.plans.clear()
        with self.connection.transaction():
            self.connection.execute("SELECT ragspine.assume(%s)", [asked.grant], prepare=self.prepare)
            params = [query, 10, [asked.library], narrowed and narrowed.to_json()]
            found = self.connection.execute(SEARCH, params, prepare=self.prepare).fetchall()
        assert found, f"{asked.tenant} finds nothing"
        return {text: frozenset(shape for of, shape in self.plans if of == text) for text, _ in self.plans}

    def hear(self, notice: psycopg.errors.Diagnostic) -> None:
        """Takes down a plan."""
        head, found, told = (notice.message_primary or "").partition("plan:\n")
        if found and head.startswith("duration:"):
            plan = json.loads(told)
            self.plans.append((plan["Query Text"], _shape(plan["Plan"])))


def _shape(plan: Mapping[str, Any]) -> Shape:
    node = plan["Node Type"], plan.get("Relation Name"), plan.get("Index Name")
    return (*node, *(_shape(below) for below in plan.get("Plans", ())))


@contextmanager
def client(url: str, prepare: bool) -> Iterator[Client]:
    """On ``url``; behind a pooler, which gives each transaction any server connection, nothing is prepared by name."""
    with psycopg.connect(url, prepare_threshold=5 if prepare else None) as connection:
        opened = Client(connection, prepare)
        connection.add_notice_handler(opened.hear)
        yield opened


def scanned(shape: Shape) -> set[str]:
    """Tables that a plan reads from end to end."""
    kind, table, _, *below = shape
    found = {table} if kind == "Seq Scan" else set()
    return found.union(*(scanned(each) for each in below))


def assert_planned_alike(
    superuser: psycopg.Connection[Any],
    url: str,
    both: tuple[Asked, Asked],
    query: str,
    narrowed: MetadataFilter | None,
    tables: frozenset[str],
    *,
    prepare: bool,
    rounds: int = 20,
) -> dict[str, Plans]:
    """The core: whoever asks first, each tenant's search is planned as it was in the first round, and by index.

    ``tables``: those that must not be read from end to end. Returns the plans of each tenant.
    """
    superuser.execute(LET_PLANS_OUT)
    orders: Sequence[tuple[Asked, Asked]] = [both, (both[1], both[0])]
    firsts: dict[str, Plans] = {}
    for order in orders:
        with client(url, prepare) as asking:
            for turn in range(rounds):
                for asked in order:
                    plans = asking.search(asked, query, narrowed)
                    for text, of in plans.items():
                        read = set[str]().union(*(scanned(shape) for shape in of)) & tables
                        assert not read, f"{asked.tenant}: {read} are read from end to end by {text}"
                    first = firsts.setdefault(asked.tenant, plans)
                    # What is constant is worked out when a statement is planned, and not heard of again.
                    flipped = {text for text in plans if plans[text] != first.get(text, plans[text])}
                    assert not flipped, f"round {turn + 1}: another plan of {flipped}"
                    assert turn > 0 or len(plans) > 20, "no plan was heard of"
    return firsts
