"""What a caller's searches come to in one snapshot, counted anew from the documents' rights and the chunks' texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from ragspine_pg import Access, InMemoryLexicalIndex, InMemoryVectorIndex
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.space import embedding_text
from tests.access.churn.journal import State
from tests.access.churn.library import LIBRARY, MODEL, QUERIES, TENANT, edition_of
from tests.conformance.leg_oracle import Oracle

_DOCUMENTS = """
SELECT d.document_id, d.title, (d.metadata ->> 'n')::int, k.sensitivity, k.open_to_members,
       ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
              WHERE r.tenant_no = k.tenant_no AND r.acl_class_no = k.acl_class_no)
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l USING (tenant_no)
  JOIN ragspine.document AS d USING (tenant_no, library_no)
  JOIN ragspine.acl_class AS k USING (tenant_no, acl_class_no)
 WHERE t.tenant = %s AND l.library_id = %s
"""
_CHUNKS = """
SELECT v.version, v.analyzer, v.k1, v.b, v.pivot, d.document_id, c.chunk_id, d.title, c.text
  FROM ragspine.tenant AS t
  JOIN ragspine.library AS l USING (tenant_no)
  JOIN ragspine.index_version AS v USING (tenant_no, library_no)
  JOIN ragspine.document AS d USING (tenant_no, library_no)
  LEFT JOIN ragspine.chunk AS c USING (tenant_no, version_no, document_no)
 WHERE t.tenant = %s AND l.library_id = %s AND v.state = 'published'
"""
_ANALYSE = """
SELECT u.place, a.lexeme, a.frequency
  FROM unnest(%s::text[]) WITH ORDINALITY AS u(text, place), ragspine.analyze_v1(u.text, %s) AS a
"""


@dataclass(frozen=True)
class Stored:
    """A document as it is in the snapshot."""

    title: str
    n: int
    state: State


class Bags:
    """Lexemes of texts, as the database's analysers make them; each text is analysed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], dict[str, int]] = {}

    def of(self, connection: psycopg.Connection[Any], analyzer: str, texts: Sequence[str]) -> list[dict[str, int]]:
        """Lexeme to frequency, for each text."""
        new = [text for text in dict.fromkeys(texts) if (analyzer, text) not in self._known]
        found: list[dict[str, int]] = [{} for _ in new]
        for place, lexeme, frequency in connection.execute(_ANALYSE, [new, analyzer]):
            found[place - 1][lexeme] = frequency
        self._known.update(zip(((analyzer, text) for text in new), found, strict=True))
        return [self._known[analyzer, text] for text in texts]


@dataclass(frozen=True)
class Recount:
    """A snapshot, counted anew for one caller."""

    version: int
    documents: Mapping[str, Stored]
    oracle: Oracle

    @classmethod
    def made(cls, connection: psycopg.Connection[Any], access: Access, bags: Bags) -> "Recount":
        """From what ``connection``, the owner's, sees; ``access`` may read it by the rule, and by no code of ours."""
        documents = {
            name: Stored(
                title, n, State(edition_of(title), None if members else frozenset(readers), Sensitivity(label))
            )
            for name, title, n, label, members, readers in connection.execute(_DOCUMENTS, [TENANT, LIBRARY])
        }
        rows = connection.execute(_CHUNKS, [TENANT, LIBRARY]).fetchall()
        [(version, analyzer, k1, b, pivot)] = {row[:5] for row in rows}
        assert all(row[6] is not None for row in rows), "a document has no chunk in the published version"
        assert {row[5] for row in rows} == documents.keys()
        mine = [row[5:] for row in rows if documents[row[5]].state.readable(access)]
        lexemes = bags.of(connection, analyzer, [f"{title}\n{text}" for _, _, title, text in mine])
        oracle = Oracle(
            InMemoryLexicalIndex(
                {chunk: bag for (_, chunk, _, _), bag in zip(mine, lexemes, strict=True)}, k1=k1, b=b, pivot=pivot
            ),
            InMemoryVectorIndex.build(MODEL, {chunk: embedding_text(title, text) for _, chunk, title, text in mine}),
            {
                "everything": frozenset(chunk for _, chunk, _, _ in mine),
                "half of it": frozenset(chunk for name, chunk, _, _ in mine if documents[name].n < 9),
            },
            dict(zip(QUERIES, bags.of(connection, analyzer, QUERIES), strict=True)),
        )
        return cls(version, documents, oracle)
