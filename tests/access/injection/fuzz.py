"""Calls with a payload, and what has to hold of each: no statement holds it, and nothing is lost or shown by it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ragspine_pg import RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.errors import RagSpineError
from tests.access import world
from tests.access.injection.members import Member, base
from tests.access.injection.payloads import TOKEN
from tests.access.injection.tap import Tap, tapped
from tests.fixtures.database import Database

KEPT = """
    SELECT (SELECT array_agg(DISTINCT (t.tenant, l.library_id, d.document_id, d.content_sha256, a.sensitivity,
                                       CASE WHEN d.document_id <> 'open' THEN a.readers_sha256 END))
              FROM ragspine.document AS d
              JOIN ragspine.library AS l USING (tenant_no, library_no)
              JOIN ragspine.tenant AS t USING (tenant_no)
              JOIN ragspine.acl_class AS a USING (tenant_no, acl_class_no)
             WHERE d.document_id IN ('open', 'own', 'board', 'secret', 'theirs'))::text,
           (SELECT count(*) FROM ragspine.library WHERE library_id IN ('notes', 'empty')),
           (SELECT count(*) FROM ragspine.grant_key)
"""
"""What no call of these tests changes: the documents of ``members.base``, their labels, their readers."""
SCHEMA = """
    SELECT (SELECT md5(string_agg(p.oid || p.prosrc || coalesce(p.proacl::text, '') || coalesce(p.proconfig::text, ''),
                                  ',' ORDER BY p.oid))
              FROM pg_proc AS p WHERE p.pronamespace = 'ragspine'::regnamespace),
           (SELECT md5(string_agg(c.oid || coalesce(c.relacl::text, '') || c.relrowsecurity, ',' ORDER BY c.oid))
              FROM pg_class AS c WHERE c.relpersistence = 'p'),
           (SELECT md5(string_agg(p::text, ',' ORDER BY p.oid)) FROM pg_policy AS p),
           (SELECT md5(string_agg(r::text, ',' ORDER BY r.oid)) FROM pg_roles AS r WHERE r.rolname !~ '^clone'),
           (SELECT count(*) FROM pg_auth_members),
           current_setting('search_path'), current_setting('row_security')
"""
"""Functions, rights, policies and roles."""
_COUNTS = """
    SELECT 'SELECT ' || string_agg(format('(SELECT count(*) FROM %s)', c.oid::regclass), ', ' ORDER BY c.relname)
      FROM pg_class AS c WHERE c.relnamespace = 'ragspine'::regnamespace AND c.relkind = 'r'
"""
"""Gives the statement that counts the rows of each of our tables."""


@dataclass(frozen=True)
class Range:
    """A world on a tapped connection; each shot is undone."""

    tap: Tap
    spine: RagSpine
    counts: str

    def remains(self, login: str) -> tuple[Any, ...]:
        """What a call as ``login`` may not change."""
        administer = self.tap.stage.administer
        kept = (administer(KEPT).fetchone(), administer(SCHEMA).fetchone())
        return (*kept, administer(self.counts).fetchone()) if login == "reader" else kept

    def shoot(self, login: str, call: Callable[[], Any], *, ours: Callable[[BaseException], bool]) -> None:
        """``call`` as ``login``: the assertions. ``ours``: whether an error is one of those that it may end in."""
        with self.tap.stage.undone():
            before = self.remains(login)
            self.tap.stage.act_as(login)
            with self.tap.heard():
                outcome = _outcome(call, ours)
            assert_no_statement_holds_it(self.tap.statements)
            assert world.CANARY not in outcome, "a hidden text comes back"
            assert self.remains(login) == before


def assert_no_statement_holds_it(statements: list[str]) -> None:
    """The rule: a caller's text is a parameter, never a part of a statement."""
    assert [statement for statement in statements if TOKEN in statement.lower()] == []


def _outcome(call: Callable[[], Any], ours: Callable[[BaseException], bool]) -> str:
    try:
        return repr(call())
    except Exception as error:
        if not ours(error):
            raise
        return str(error)


def is_ours(error: BaseException) -> bool:
    """Whether it is an error that a caller can act on, and not one of SQL that went wrong."""
    if not isinstance(error, RagSpineError) or type(error) is RagSpineError:
        return False
    return not str(error.ids.get("sqlstate", "")).startswith("42")


def perform(spine: RagSpine, name: str, member: Member, given: dict[str, Any]) -> Any:
    """The call ``name``, with ``given`` in place of what it is given otherwise."""
    arguments = {**member.given, **given}
    arguments.update(arguments.pop("options", {}))
    on = member.on(spine)
    method = name.rpartition(".")[2]
    call = on if method == "__init__" else getattr(on, method)
    return member.then(call(**arguments))


@contextmanager
def ranged(database: Database) -> Iterator[Range]:
    """A range in ``database``, a clone of the test's own."""
    with tapped(database) as tap, tap.stage.undone():
        connection = tap.connection
        spine = RagSpine.open(
            connection,
            ingest=connection,
            owner=connection,
            grant_key=database.grant_key,
            config=ServiceConfig(),
            embedding_models=[world.MODEL],
        )
        (counts,) = tap.stage.administer(_COUNTS).fetchone() or ("",)
        tap.stage.act_as("ingest")
        base(spine)
        yield Range(tap, spine, counts)
