"""No text that a caller hands to a function of ours becomes a part of what it runs, or writes to be run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.embedded import vector_text
from tests.access import world
from tests.access.injection.fuzz import Range, ranged
from tests.access.injection.members import EVE, VECTOR
from tests.access.injection.payloads import TOKEN, payloads
from tests.fixtures.database import Database, clone
from tests.fixtures.pooler import not_behind

pytestmark = not_behind

_LIST = """
    SELECT p.proname, p.pronargs - p.pronargdefaults, coalesce(p.proargnames[:p.pronargs], '{}'),
           ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS u(t, n) ORDER BY n),
           CASE WHEN has_function_privilege('ragspine_reader', p.oid, 'EXECUTE') THEN 'reader'
                WHEN has_function_privilege('ragspine_ingest', p.oid, 'EXECUTE') THEN 'ingest' ELSE 'superuser' END
      FROM pg_proc AS p
     WHERE p.pronamespace = 'ragspine'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
     ORDER BY p.proname
"""
_NUMBERS = """
    SELECT t.tenant_no, l.library_no, v.version_no, d.document_no, f.field_no,
           ARRAY(SELECT acl_class_no FROM ragspine.acl_class AS a WHERE a.tenant_no = t.tenant_no)
      FROM ragspine.tenant AS t
      JOIN ragspine.library AS l ON l.tenant_no = t.tenant_no AND l.library_id = 'notes'
      JOIN ragspine.library_field AS f ON f.library_no = l.library_no AND f.name = 'owner'
      JOIN ragspine.index_version AS v ON v.library_no = l.library_no AND v.state = 'published'
      JOIN ragspine.document AS d ON d.library_no = l.library_no AND d.document_id = 'open'
     WHERE t.tenant = 'acme'
"""
WRITERS = {
    "compile_condition_v1",
    "compile_filter_v1",
    "compile_membership_v1",
    "compile_narrowing_v1",
    "compile_node_v1",
    "compile_ordering_v1",
    "demand_conditions_v1",
    "lexical_scan_v1",
    "vector_index_ddl_v1",
    "vector_scan_v1",
}
"""Functions that write statements, or parts of them."""
_TEXTS = ("text", "text[]", "jsonb", "vector", "vector[]", "sparsevec")
_NUMBERS_AND_FLAGS = (
    "integer",
    "double precision[]",
    "integer[]",
    "sparsevec[]",
    "bigint",
    "bigint[]",
    "boolean",
    "double precision",
    "numeric",
    "record",
    "regconfig",
)
_OF_OUR_OWN = {
    "path": "places in a filter, in words and numbers of ours",
    "kind": "the name of a type",
    "declared": "the name of a type",
    "passing": "a word of the leg's",
    "config": "the name of a text search configuration, by its number",
    "condition text": "what compile_filter_v1 made of a filter",
}
"""Arguments of the owner's functions that no caller's text reaches."""
_CONDITION = {"field": "owner", "op": "eq", "value": "x"}
_BOTH_LEGS = ("mode", "query_space", "query_embedding", "spaces", "embeddings")
_GIVEN: dict[str, Any] = {
    "query": "return order",
    "k": 5,
    "analyzer": "simple",
    "text": "return order",
    "title": "return",
    "library_id": "notes",
    "document_id": "open",
    "mode": "auto",
    "query_space": world.MODEL.space.fingerprint,
    "query_embedding": vector_text(VECTOR),
    "spaces": [world.MODEL.space.fingerprint],
    "embeddings": [vector_text(VECTOR)],
    "filter": Jsonb(_CONDITION),
    "method": "rrf",
    "locator": "char=0,0;sha256=" + "0" * 64,
    "request": Jsonb({}),
    "condition": Jsonb(_CONDITION),
    "scalars": Jsonb(["x"]),
    "many": False,
    "wanted": True,
    "path": [],
    "kind": "string",
    "declared": "string",
    "op": "eq",
    "size": 1,
    "type": "string",
    "distance": "cosine",
    "dimensions": 64,
    "filtered": True,
    "indexed": False,
    "sensitivity": "PUBLIC",
    "open_to_members": False,
    "readers": ["a"],
    "occurrence": 0,
    "chunker": "c",
    "slice": "s",
    "span_start": 0,
    "span_end": 1,
    "lexical": True,
    "vector": True,
    "has_space": True,
    "embedded": True,
}


@dataclass(frozen=True)
class Function:
    """A function as the catalogue has it, and the login that may call it."""

    name: str
    required: int
    arguments: dict[str, str]
    login: str


def _carried(name: str, kind: str, payload: str) -> st.SearchStrategy[Any]:
    """What brings ``payload`` into an argument."""
    if kind == "text[]":
        return st.sampled_from([[payload], ["notes", payload]])
    kind = kind.rpartition(".")[2]
    if kind in {"vector[]", "sparsevec", "vector"}:
        return st.just([payload] if kind == "vector[]" else payload)
    if kind != "jsonb":
        return st.just(payload)
    if name in {"filter", "condition"}:
        conditions = [
            {"field": payload, "op": "eq", "value": payload},
            {"field": "owner", "op": "prefix", "value": payload},
            {"field": "owner", "op": "in", "value": [payload] * 20},
            {"field": "due", "op": "gt", "value": payload},
            {"field": "owner", "op": payload, "value": payload},
            {"field": payload, "op": "exists", "value": True},
            {payload: payload},
        ]
        grouped = [{"any_of": [{"none_of": [condition]}, _CONDITION]} for condition in conditions[:4]]
        return st.sampled_from([*conditions, *(grouped if name == "filter" else [])]).map(Jsonb)
    return st.sampled_from(
        [{payload: payload}, {"method": payload}, {"weights": {payload: 1}}, [payload], payload]
    ).map(Jsonb)


def _is_ours(error: BaseException) -> bool:
    """Ours; or a value that its type, a constraint or the client's encoding refuses."""
    if isinstance(error, UnicodeEncodeError):
        return True
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate
    return isinstance(error, psycopg.DataError) if state is None else state[:2] in {"RS", "22", "23"}


@dataclass(frozen=True)
class Functions:
    """All of them, in a world with something in it."""

    range: Range
    found: dict[str, Function]
    given: dict[str, Any]

    def call(self, function: Function, name: str, value: Any) -> str:
        """Its answer to ``value`` for one argument, and what is usual for the others."""
        kinds = function.arguments
        needed = [
            argument for n, argument in enumerate(kinds) if n < function.required or argument in {name, *_BOTH_LEGS}
        ]
        arguments = ", ".join(f"{argument} => %({argument})s::{kinds[argument]}" for argument in needed)
        given = {argument: self.given.get(argument) for argument in needed} | {name: value}
        if kinds.get("condition") == "text":
            given["condition"] = "true"
        statement = f"SELECT * FROM ragspine.{function.name}({arguments})"
        return repr(self.range.tap.stage.rows(statement, given, login=function.login))

    def fuzz(self, function: Function, name: str, examples: int) -> None:
        """Payloads for one argument."""

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(drawn=payloads.flatmap(lambda payload: _carried(name, function.arguments[name], payload)))
        def check(drawn: Any) -> None:
            self.range.shoot(function.login, lambda: self._written(function, name, drawn), ours=_is_ours)

        check()

    def _written(self, function: Function, name: str, drawn: Any) -> str:
        answer = self.call(function, name, drawn)
        if function.name in WRITERS:
            assert TOKEN not in answer, "a statement that it writes holds a caller's text"
        return answer


@contextmanager
def opened(database: Database) -> Iterator[Functions]:
    """The functions of ``database``, with EVE's grant at work."""
    with ranged(database) as found:
        stage = found.tap.stage
        numbers = stage.administer(_NUMBERS).fetchone() or ()
        names = ("tenant_no", "library_no", "version_no", "document_no", "field_no", "classes")
        listed = [
            Function(name, required, dict(zip(args, kinds, strict=True)), login)
            for name, required, args, kinds, login in stage.administer(_LIST).fetchall()
        ]
        grant = found.spine.grant(EVE)
        stage.rows("SELECT ragspine.assume(%(grant)s)", {"grant": grant})
        yield Functions(
            found,
            {function.name: function for function in listed},
            _GIVEN | dict(zip(names, numbers, strict=True)) | {"signed": grant},
        )


@pytest.fixture(scope="module")
def functions(server: EmbeddedServer, template: str) -> Iterator[Functions]:
    with clone(server, template) as database, opened(database) as found:
        yield found


def arguments_of(function: Function) -> list[str]:
    """Those that a caller's text comes by: not into functions of the owner's that take a row of another one's."""
    if function.login == "superuser" and "record" in function.arguments.values():
        return []
    return [
        name
        for name, kind in function.arguments.items()
        if kind.rpartition(".")[2] in _TEXTS
        and not (function.login == "superuser" and {name, f"{name} {kind}"} & _OF_OUR_OWN.keys())
    ]


def test_every_argument_of_every_function_is_fuzzed(functions: Functions) -> None:
    """The catalogue says which there are: another type has to be given its case first."""
    kinds = {kind.rpartition(".")[2] for function in functions.found.values() for kind in function.arguments.values()}
    assert kinds <= {*_TEXTS, *_NUMBERS_AND_FLAGS}
    assert set(functions.found) >= WRITERS


def test_every_function_works_as_it_is_given(functions: Functions) -> None:
    """Else fuzzing one argument would end at another."""
    refused = []
    for function in functions.found.values():
        with functions.range.tap.stage.undone():
            try:
                functions.call(function, "", None)
            except psycopg.Error as error:
                refused.append((function.name, error.sqlstate))
    assert refused == [
        ("admits_v1", "55000"),  # it takes a row that policies alone have
        ("check_instants_v1", "RS001"),  # refusing is what they do
        ("refuse_filter_v1", "RS001"),
        ("search_postings_v1", "55000"),  # these take what the leg alone has
        ("select_candidates_v1", "55000"),
        ("sum_segments_v1", "22004"),
    ]


def test_no_statement_holds_a_callers_text(functions: Functions) -> None:
    for function in functions.found.values():
        for name in arguments_of(function):
            functions.fuzz(function, name, examples=4)


@pytest.mark.soak
def test_no_statement_holds_any_callers_text(functions: Functions) -> None:
    for function in functions.found.values():
        for name in arguments_of(function):
            functions.fuzz(function, name, examples=200)
