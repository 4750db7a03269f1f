"""The invariants of what is stored, recounted from the ground: for ``doctor``, and for tests."""

from dataclasses import dataclass

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken invariant: the rule, where (ids, never text), and by how many rows."""

    rule: str
    where: str
    count: int


_VERSION_RULES = {
    "corpus statistics equal a recount of the chunks": "audit_corpus_stat",
    "document frequencies equal a recount of the chunks": "audit_lexeme_stat",
    "statistics hold no row that changes nothing": "audit_empty_stat",
    "every chunk has its lexical row, and its class": "audit_lexical",
    "lexemes are numbered from one to the version's counter": "audit_lexeme_numbers",
    "every chunk has the vector that its version and label allow": "audit_embeddings",
    "impacts name numbered lexemes only": "audit_impacts",
    "every chunk is the text at its span": "audit_slices",
    "every parent window is the text at its span": "audit_windows",
    "chunk ids are those of their content": "audit_chunk_ids",
    "every document has its chunks in every version, or is pending there": "audit_pending",
}
_LIBRARY_RULES = {
    "pages hold the text the document counts and hashes": "audit_content",
    "every class's hash is that of its readers": "audit_classes",
    "field keys are those of the metadata": "audit_fields",
    "a library has exactly one published version": "audit_versions",
}
_DEEP = {
    "impacts equal a new analysis": "audit_analysis",
    "postings hold the impacts of what is sealed, and their bounds": "audit_postings",
}

RULES = tuple(_VERSION_RULES | _LIBRARY_RULES | _DEEP)
"""What is checked, by name; a test plants a fault for each."""

_STATEMENTS = {rule: query(name) for rule, name in (_VERSION_RULES | _LIBRARY_RULES | _DEEP).items()}


def audit(target: Target, *, deep: bool = False) -> Flow[list[Finding]]:
    """Check a library's rows against each other, in all its live versions; an empty list when all is as it should be.

    Reads everything the library holds, some of it several times. ``deep`` also analyses every chunk again, which takes
    as long as an ingest.
    """
    rules = [*_VERSION_RULES, *_LIBRARY_RULES, *(_DEEP if deep else ())]
    return (yield from _check(rules, target, None))


def audit_version(target: Target) -> Flow[list[Finding]]:
    """Check the rows of the target's version alone, whatever its state."""
    return (yield from _check([*_VERSION_RULES], target, target.version_no))


def _check(rules: list[str], target: Target, version_no: int | None) -> Flow[list[Finding]]:
    findings = []
    for rule in rules:
        rows = yield from fetch(
            _STATEMENTS[rule], tenant_no=target.tenant_no, library_no=target.library_no, version_no=version_no
        )
        findings += [Finding(rule, where, count) for where, count in rows]
    return findings
