"""The rule of the random worlds finds leaks: each is planted in a real database, and a world that shows it is drawn."""

from dataclasses import dataclass

import psycopg
import pytest

from tests.access.noninterference.stage import raised
from tests.access.noninterference.test_property import EXAMPLES, assert_holds_in_random_worlds
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import Plant

pytestmark = not_behind

_READ_CLASSES = "AND ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), d.tenant_no, d.acl_class_no)"


@dataclass(frozen=True)
class Fault:
    """Edits of our functions (which, a text, what is put in its place), and tables that lose their policies."""

    edits: tuple[tuple[str, str, str], ...]
    unbound: tuple[str, ...] = ()
    embedded: bool = False


FAULTS = {
    "document frequencies of all classes": Fault(
        (
            ("weigh_terms_v1", "by_class := current_setting", "by_class := false AND current_setting"),
            ("weigh_terms_v1", "AND s.acl_class_no = ANY (classes)", ""),
        )
    ),
    "words that begin so in all classes": Fault(
        (("find_prefixed_v1", " AND s.acl_class_no = ANY (classes)", ""),),
    ),
    "a corpus of all classes": Fault((("weigh_terms_v1", "AND c.acl_class_no = ANY (classes)", ""),)),
    "a lexical leg that ranks hidden chunks, and no exit behind it": Fault(
        (
            ("lexical_scan_v1", "AND x.acl_class_no = ANY ($3)", ""),
            (
                "lexical_leg_v1",
                "AND c.chunk_no = n.chunk_no AND c.acl_class_no = ANY (classes)",
                "AND c.chunk_no = n.chunk_no",
            ),
            (
                "search_hits_v1",
                "WHERE p.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')",
                "WHERE true OR p.sensitivity IN ('')",
            ),
        )
    ),
    "a vector leg that ranks hidden chunks, and no look-up behind it": Fault(
        (
            ("vector_scan_v1", " AND x.acl_class_no = ANY ($3)", ""),
            (
                "vector_leg_v1",
                "AND c.chunk_no = n.chunk_no AND c.acl_class_no = ANY (classes)",
                "AND c.chunk_no = n.chunk_no",
            ),
        ),
        embedded=True,
    ),
    "passages without their condition and their policies": Fault(
        (
            ("read_passages_v1", "WHERE a.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')", "WHERE true"),
            ("read_passages_v1", "AND (a.open_to_members", "AND (true OR a.open_to_members"),
        ),
        unbound=("chunk", "document", "acl_class"),
    ),
    "documents found without their condition and their policy": Fault(
        (("find_document_v1", _READ_CLASSES, ""),), unbound=("document", "library")
    ),
    "a float32 sum in the order of the lexemes' numbers": Fault(
        (
            (
                "lexical_leg_v1",
                "(SELECT sum(u.weight * -(x.impacts OPERATOR(@vector@.<#>) u.unit) ORDER BY u.position)\n"
                + " " * 22
                + "FROM unnest(weights, units) WITH ORDINALITY AS u(weight, unit, position)) AS score",
                "-(x.impacts OPERATOR(@vector@.<#>) terms) AS score",
            ),
        )
    ),
    "lengths measured against all chunks that there are": Fault(
        (
            (
                "analyze_chunk_v1",
                "SELECT w.length,",
                "SELECT w.length OPERATOR(pg_catalog.*)"
                " (SELECT 1 + pg_catalog.count(*) FROM ragspine.chunk)::pg_catalog.int4,",
            ),
        )
    ),
    "libraries with nothing to read": Fault(
        (("readable_libraries_v1", "AND ragspine.reads_library_v1(l.tenant_no, l.library_no, classes)", ""),)
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_hidden_things_change_nothing_has_teeth(fresh_database: Database, plant: Plant, name: str) -> None:
    fault = FAULTS[name]
    for function in dict.fromkeys(function for function, _, _ in fault.edits):
        plant(function, *((old, new) for edited, old, new in fault.edits if edited == function))
    with psycopg.connect(fresh_database.owner_url) as owner:
        for table in fault.unbound:
            owner.execute(f"DROP POLICY readable ON ragspine.{table}")  # type: ignore[call-overload]
            owner.execute(f"DROP POLICY IF EXISTS bounded ON ragspine.{table}")  # type: ignore[call-overload]
            owner.execute(f"CREATE POLICY wide ON ragspine.{table} USING (true)")  # type: ignore[call-overload]
    with raised(fresh_database) as stage, pytest.raises(AssertionError, match=r"assert \{"):
        assert_holds_in_random_worlds(stage, embedded=fault.embedded, examples=EXAMPLES)


_FEW = ("bigint := 20000", "bigint := 3")
_TOTAL = (
    "c.version_no = vector_leg_v1.version_no AND c.acl_class_no = ANY (classes)) >= index_from",
    "c.version_no = vector_leg_v1.version_no) >= index_from",
)


@pytest.mark.parametrize("total", [False, True], ids=["as it is", "by all rows"])
def test_the_choice_of_the_vector_index_by_all_rows_has_teeth(
    fresh_database: Database, plant: Plant, total: bool
) -> None:
    """The index is chosen from three readable chunks on, here, so that small worlds lie on both sides."""
    plant("vector_index_ddl_v1", _FEW)
    plant("vector_leg_v1", _FEW, *([_TOTAL] if total else []))
    with raised(fresh_database, index_ddl=True) as stage:
        if not total:
            assert_holds_in_random_worlds(stage, embedded=True, examples=EXAMPLES // 3)
            return
        with pytest.raises(AssertionError, match=r"assert \{"):
            assert_holds_in_random_worlds(stage, embedded=True, examples=EXAMPLES)
