"""The audit finds every fault that can be planted; on a sound store it finds none."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.flow.driver import run
from ragspine_pg.ingest import audit as audit_stage
from ragspine_pg.ingest import pipeline
from ragspine_pg.ingest.target import find_target
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf

PROSE = "\n\n".join(f"# Part {n}\n\n" + f"Paragraph {n} of foxes and owls. " * 30 for n in range(6))

FAULTS = {
    "corpus statistics equal a recount of the chunks": """
        UPDATE ragspine.corpus_stat SET total_length = total_length + 1""",
    "document frequencies equal a recount of the chunks": """
        UPDATE ragspine.lexeme_stat SET chunk_count = chunk_count + 1""",
    "statistics hold no row that changes nothing": """
        INSERT INTO ragspine.lexeme_stat
        SELECT tenant_no, version_no, 1, acl_class_no, 0, 0 FROM ragspine.corpus_stat""",
    "every chunk has its lexical row, and its class": "DELETE FROM ragspine.chunk_lexical",
    "every chunk has the vector that its version and label allow": "DELETE FROM ragspine.chunk_embedding",
    "lexemes are numbered from one to the version's counter": """
        UPDATE ragspine.index_version SET lexeme_count = lexeme_count + 1""",
    "impacts name numbered lexemes only": "UPDATE ragspine.index_version SET lexeme_count = 1",
    "pages hold the text the document counts and hashes": """
        UPDATE ragspine.document_page SET text = replace(text, 'fox', 'FOX')""",
    "every chunk is the text at its span": """
        UPDATE ragspine.chunk
           SET text = upper(text), slice_sha256 = encode(sha256(convert_to(upper(text), 'UTF8')), 'hex')""",
    "every parent window is the text at its span": "UPDATE ragspine.parent_window SET span_start = span_start + 1",
    "chunk ids are those of their content": "UPDATE ragspine.chunk SET chunk_id = md5(chunk_id)",
    "every class's hash is that of its readers": "DELETE FROM ragspine.acl_reader",
    "field keys are those of the metadata": "DELETE FROM ragspine.document_field",
    "a library has exactly one published version": "UPDATE ragspine.index_version SET state = 'retired'",
    "every document has its chunks in every version, or is pending there": "DELETE FROM ragspine.chunk",
    "impacts equal a new analysis": "UPDATE ragspine.index_version SET pivot = pivot * 2",
    "postings hold the impacts of what is sealed, and their bounds": "DELETE FROM ragspine.posting_block",
}


@pytest.fixture
def sound(fresh_database: Database, eagerly_sealed: None) -> Iterator[tuple[Shelf, psycopg.Connection[Any]]]:
    shelf = Shelf(
        fresh_database, chunker="parent_child", fields={"year": "number"}, embedding=make_embedding_model("hashing")
    )
    shelf.ingest(Document("a", PROSE, readers={"u"}, metadata={"year": 1}), Document("b", "A fox.", title="Fox"))
    shelf.run(pipeline.optimize(shelf.tenant, shelf.library))
    with psycopg.connect(fresh_database.owner_url) as connection:
        yield shelf, connection
        connection.rollback()


def test_every_rule_has_a_planted_fault() -> None:
    assert set(FAULTS) == set(audit_stage.RULES)


@pytest.mark.parametrize("rule", FAULTS)
def test_audit_has_teeth(sound: tuple[Shelf, psycopg.Connection[Any]], rule: str) -> None:
    shelf, connection = sound
    target = run(find_target(shelf.tenant, shelf.library), connection)
    assert run(audit_stage.audit(target, deep=True), connection) == []
    connection.execute(FAULTS[rule])
    assert rule in {finding.rule for finding in run(audit_stage.audit(target, deep=True), connection)}


@pytest.mark.parametrize(
    "fault",
    [
        "UPDATE ragspine.posting_segment SET chunk_nos = chunk_nos[2:] WHERE cardinality(chunk_nos) > 1",
        "UPDATE ragspine.posting_list SET tops = ARRAY(SELECT t / 2 FROM unnest(tops) AS t)",
        "UPDATE ragspine.posting_list SET frequencies = ARRAY(SELECT 0 FROM unnest(frequencies))",
        "UPDATE ragspine.posting_list SET impacts = impacts[2:] || ARRAY[0.5::real]",
        "DELETE FROM ragspine.posting_list",
    ],
    ids=["places", "bounds", "frequencies", "impacts", "lists"],
)
def test_audit_of_postings_has_teeth(sound: tuple[Shelf, psycopg.Connection[Any]], fault: str) -> None:
    shelf, connection = sound
    connection.execute(fault)
    target = run(find_target(shelf.tenant, shelf.library), connection)
    found = {finding.rule for finding in run(audit_stage.audit(target, deep=True), connection)}
    assert found == {"postings hold the impacts of what is sealed, and their bounds"}


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (
            "corpus statistics equal a recount of the chunks",
            "UPDATE ragspine.corpus_stat SET chunk_count = chunk_count + 1 WHERE acl_class_no = 0",
        ),
        (
            "document frequencies equal a recount of the chunks",
            "INSERT INTO ragspine.lexeme_stat SELECT tenant_no, version_no, 1, acl_class_no, 0, 1"
            " FROM ragspine.corpus_stat WHERE acl_class_no > 0 LIMIT 1",
        ),
        (
            "document frequencies equal a recount of the chunks",
            "UPDATE ragspine.index_version SET statistics = 'class'",
        ),
    ],
    ids=["the corpus of the library", "a word by class", "another setting"],
)
def test_audit_of_statistics_of_the_library_has_teeth(fresh_database: Database, rule: str, fault: str) -> None:
    shelf = Shelf(fresh_database, statistics="library")
    shelf.ingest(
        Document("a", "fox", readers={"u"}), Document("b", "A fox."), Document("c", "x", sensitivity="RESTRICTED")
    )
    assert shelf.audit() == []
    shelf.owner(fault)
    assert rule in {finding.rule for finding in shelf.audit()}
