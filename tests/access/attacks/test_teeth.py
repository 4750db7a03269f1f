"""The attacks find something: each fault is planted in real databases, and the attack that is meant for it succeeds."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from tests.access.attacks import book, worlds
from tests.access.attacks.conftest import Pair
from tests.fixtures.spine import plant_function

_UNBOUND = "DROP POLICY readable ON ragspine.chunk; DROP POLICY bounded ON ragspine.chunk; "


@dataclass(frozen=True)
class Fault:
    """Statements of the owner's, edits of one of our functions, and the attacks that find it and how they say so."""

    found_by: tuple[str, ...]
    says: str
    statements: str = ""
    edits: tuple[tuple[str, str, str], ...] = ()
    """Function, its text, and what is put in its place."""


FAULTS = {
    "a right on a table, under its policies": Fault(
        ("EXPLAIN of tables", "system columns"),
        "tells of what is hidden",
        "GRANT SELECT ON ragspine.chunk TO ragspine_reader;"
        " GRANT EXECUTE ON FUNCTION ragspine.admits_v1 TO ragspine_reader",  # which the policies call
    ),
    "a right on a table, and a policy too wide": Fault(
        ("every table, every column", "COPY out", "a cast that quotes the value it refuses", "whatever may be read"),
        "a hidden word comes back",
        _UNBOUND
        + "CREATE POLICY wide ON ragspine.chunk USING (true); GRANT SELECT ON ragspine.chunk TO ragspine_reader",
    ),
    "row-level security off on an open table": Fault(
        ("every table, every column",),
        "a hidden word comes back",
        "ALTER TABLE ragspine.document DISABLE ROW LEVEL SECURITY; GRANT SELECT ON ragspine.document TO"
        " ragspine_reader",
    ),
    "a right on the readers of classes": Fault(
        ("a principal",),
        "a hidden word comes back",
        "ALTER TABLE ragspine.acl_reader DISABLE ROW LEVEL SECURITY; GRANT SELECT ON ragspine.acl_reader TO"
        " ragspine_reader",
    ),
    "a view of the owner's": Fault(
        ("whatever may be read",),
        "a hidden word comes back",
        "CREATE VIEW ragspine.every_title AS SELECT title FROM ragspine.document;"
        " GRANT SELECT ON ragspine.every_title TO PUBLIC",
    ),
    "a right on the dictionary's words alone": Fault(
        ("every table, every column", "the planner's statistics"),
        "a hidden word comes back",
        "ALTER TABLE ragspine.lexeme DISABLE ROW LEVEL SECURITY; GRANT SELECT ON ragspine.lexeme TO ragspine_reader",
    ),
    "a function that does not look at classes": Fault(
        ("every chunk of every version",),
        "a hidden word comes back",
        _UNBOUND.replace("chunk", "document") + _UNBOUND + "CREATE POLICY wide ON ragspine.chunk USING (true);"
        " CREATE POLICY wide ON ragspine.document USING (true); DROP POLICY readable ON ragspine.acl_class;"
        " CREATE POLICY wide ON ragspine.acl_class USING (true)",
        edits=(("read_passages_v1", "AND (a.open_to_members", "AND (true OR a.open_to_members"),),
    ),
    "a document that is found whatever its class": Fault(
        ("a document", "a restricted document"),
        "a hidden word comes back",
        _UNBOUND.replace("chunk", "document") + "CREATE POLICY wide ON ragspine.document USING (true)",
        edits=(
            (
                "find_document_v1",
                "AND ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), d.tenant_no, d.acl_class_no)",
                "",
            ),
        ),
    ),
    "statistics of what is hidden": Fault(
        ("statistics of the readable corpus", "plans: custom plans"),
        "tells of what is hidden",
        edits=(("weigh_terms_v1", "       AND c.acl_class_no = ANY (classes)", ""),),
    ),
    "a dictionary that answers for hidden words": Fault(
        ("a word",),
        "a hidden word comes back",
        edits=(("weigh_terms_v1", "WHERE t.chunk_count > 0", "WHERE t.lexeme_no > 0"),),
    ),
    "a signature that is not compared": Fault(
        (
            "a grant with another tenant's payload",
            "assume() with what does not verify",
            "one grant after another inside a statement",
        ),
        "a hidden word comes back",
        edits=(("granted_v1", "IF sha256(nonce || convert_to(expected, 'UTF8')) <>", "IF false AND sha256(nonce) <>"),),
    ),
    "plans that are printed": Fault(
        ("debug_print_plan to the client",),
        "tells of what is hidden",
        "ALTER FUNCTION ragspine.lexical_leg_v1 RESET client_min_messages;"
        " ALTER FUNCTION ragspine.vector_leg_v1 RESET client_min_messages",
    ),
    "an index of values that is asked for those of all classes, by a planner that knows them": Fault(
        (
            "a value of a declared field, owner eq, by the work it takes",
            "a value of a declared field, owner prefix, by the work it takes",
        ),
        "hidden is told from absent",
        edits=(
            (
                "compile_filter_v1",
                "    CONTINUE WHEN cardinality(numbers) > few;",
                "    condition := format('%s AND d.document_no IN (%s)', truth, narrowing); RETURN;",
            ),
            (
                "compile_narrowing_v1",
                "'(SELECT ragspine.field_key_v1($1 #> %%L, %L))'",
                "'ragspine.field_key_v1($1 #> %%L, %L)'",
            ),
            ("compile_narrowing_v1", " AND f.acl_class_no = ANY ($2)", ""),
            ("compile_narrowing_v1", " AND f.acl_class_no = k.class", ""),
        ),
    ),
    "a definer function with an open search path": Fault(
        ("operators and functions in a schema of everybody's",),
        "it tells of what is hidden",
        "GRANT CREATE ON SCHEMA public TO PUBLIC; ALTER FUNCTION ragspine.readable_descriptions_v1 RESET search_path",
    ),
}


@pytest.fixture
def copies(server: EmbeddedServer, pair: Pair) -> Iterator[Pair]:
    """Copies of both worlds, for this test's fault."""
    with ExitStack() as stack:
        yield Pair(*(stack.enter_context(worlds.copied(server, world)) for world in pair))


@pytest.mark.parametrize("name", FAULTS)
def test_attacks_have_teeth(copies: Pair, vector_schema: str, name: str) -> None:
    fault = FAULTS[name]
    for attack in fault.found_by:
        book.assert_harmless(book.ATTACKS[attack], copies)
    for world in copies:
        with psycopg.connect(world.database.superuser_url, autocommit=True) as connection:
            if fault.statements:
                connection.execute(fault.statements)  # type: ignore[call-overload]
        for function in dict.fromkeys(function for function, _, _ in fault.edits):
            edits = [(old, new) for edited, old, new in fault.edits if edited == function]
            plant_function(world.database, function, *edits, vector_schema=vector_schema)
    for attack in fault.found_by:
        with pytest.raises(AssertionError, match=fault.says):
            book.assert_harmless(book.ATTACKS[attack], copies)
