"""Libraries to rebuild, and what two of them are compared by."""

import json
from collections.abc import Iterable
from typing import Any

import psycopg

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest.audit import Finding, audit
from ragspine_pg.ingest.target import find_target
from tests.fixtures.database import Database

QUERIES = ("foxes hunting at night", "owl", "the river and its banks", "parent section", "harvest of apples")
PRINCIPALS = ({"group:staff"}, {"group:x"}, {"group:staff", "group:x"})
_SUBJECTS = ("Foxes are hunting", "An owl sits", "The river rises", "Apples are sorted", "Nothing happens")


def document(key: int, edition: int = 1, **rights: Any) -> Document:
    """A document of some sections; every third is the same in every edition, every fourth is not for everybody."""
    edition = edition if key % 3 else 0
    sections = "\n\n".join(
        f"## Section {number}\n\n" + f"{_SUBJECTS[(key + number) % 5]} in part {number} of edition {edition}. " * 9
        for number in range(1 + key % 3)
    )
    readers = {"group:x"} if key % 4 == 0 else None
    label = "CONFIDENTIAL" if key % 5 == 0 else "INTERNAL"
    return Document(
        f"d{key}",
        f"# Document {key}\n\n{sections}",
        title=f"Title of {key}" if key % 2 else "",
        metadata={"year": 2000 + key},
        **({"readers": readers, "sensitivity": label} | rights),
    )


def documents(number: int = 24, edition: int = 1, **rights: Any) -> list[Document]:
    return [document(key, edition, **rights) for key in range(number)]


def answers(library: Library, modes: Iterable[str] = ("economy", "auto")) -> dict[str, Any]:
    """What several callers get, without what two libraries of the same content differ in."""
    found = {}
    for principals in PRINCIPALS:
        for query in QUERIES:
            for mode in modes:
                result = library.search(
                    query, access=Access(library.tenant, principals), k=50, mode=mode, expand="parent"
                )
                plain = json.loads(result.to_json())
                del plain["index_versions"], plain["cursor"]
                for hit in plain["hits"]:
                    del hit["tenant"], hit["index_version"], hit["library_id"]
                found[f"{sorted(principals)} {mode} {query}"] = plain
    assert any(answer["hits"] for answer in found.values())
    return found


def audited(database: Database, library: Library, *, deep: bool = True) -> list[Finding]:
    """What the audit of all live versions finds."""

    def flow() -> Flow[list[Finding]]:
        target = yield from find_target(library.tenant, library.library_id)
        return (yield from audit(target, deep=deep))

    with psycopg.connect(database.ingest_url) as connection:
        return run(flow(), connection)


def owner(database: Database, text: str, **params: Any) -> list[tuple[Any, ...]]:
    """Rows of a statement run by the owner."""
    with psycopg.connect(database.owner_url) as connection:
        cursor = connection.execute(text, params)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description is not None else []


def chunks_by_version(database: Database, library: Library) -> dict[int, int]:
    """Version to number of chunks, for the versions that there are any rows of."""
    return dict(
        owner(
            database,
            "SELECT v.version, (SELECT count(*)::int FROM ragspine.chunk AS c"
            " WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no)"
            " FROM ragspine.index_version AS v JOIN ragspine.library AS l USING (tenant_no, library_no)"
            " JOIN ragspine.tenant AS t USING (tenant_no) WHERE t.tenant = %(tenant)s AND l.library_id = %(library)s",
            tenant=library.tenant,
            library=library.library_id,
        )
    )


def vectors_by_version(database: Database, library: Library, document_id: str) -> dict[int, int]:
    """Version to number of vectors of a document."""
    return dict(
        owner(
            database,
            "SELECT v.version, (SELECT count(*)::int FROM ragspine.chunk_embedding AS e"
            " WHERE e.tenant_no = d.tenant_no AND e.version_no = v.version_no AND e.document_no = d.document_no)"
            " FROM ragspine.document AS d JOIN ragspine.tenant AS t USING (tenant_no)"
            " JOIN ragspine.index_version AS v USING (tenant_no, library_no)"
            " WHERE t.tenant = %(tenant)s AND d.document_id = %(document)s",
            tenant=library.tenant,
            document=document_id,
        )
    )


def twin(spine: RagSpine, library: Library, stored: Iterable[Document], **options: Any) -> Library:
    """A library of another tenant that was made and filled afresh."""
    fresh = spine.create_library(f"{library.tenant}-fresh", library.library_id, **options)
    fresh.ingest(stored)
    return fresh
