"""A library of a test's own, written with the real ingest login; and the oracle that recounts everything."""

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import IngestReport
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import pipeline
from ragspine_pg.ingest.audit import Finding
from ragspine_pg.ingest.target import find_target
from tests.fixtures.database import Database

T = TypeVar("T")
_numbers = itertools.count(1)


class Shelf:
    """One library of a tenant of its own."""

    def __init__(
        self, database: Database, *, chunker: str = "default", tenant: str | None = None, **options: Any
    ) -> None:
        self.database = database
        self.tenant = tenant or f"tenant-{next(_numbers)}"
        self.library = "books"
        chunker_options = options.pop("chunker_options", {})
        self.created = self.run(
            pipeline.create_library(
                self.tenant,
                self.library,
                chunker=make_chunker(chunker, **chunker_options),
                chunker_options=chunker_options,
                **options,
            )
        )

    def run(self, flow: Flow[T]) -> T:
        """One call, one transaction, as the ingest login."""
        with psycopg.connect(self.database.ingest_url) as connection:
            return run(flow, connection)

    def ingest(self, *documents: Document, **options: Any) -> IngestReport:
        return self.ingest_all(documents, **options)

    def ingest_all(self, documents: Iterable[Document], **options: Any) -> IngestReport:
        return self.run(pipeline.ingest(self.tenant, self.library, documents, **options))

    def delete(self, document_id: str) -> bool:
        return self.run(pipeline.delete_document(self.tenant, self.library, document_id))

    def relabel(self, document_id: str, **rights: Any) -> bool:
        return self.run(pipeline.relabel_document(self.tenant, self.library, document_id, **rights))

    def audit(self, *, deep: bool = True) -> list[Finding]:
        def flow() -> Flow[list[Finding]]:
            target = yield from find_target(self.tenant, self.library)
            return (yield from pipeline.audit(target, deep=deep))

        return self.run(flow())

    def owner(self, text: str, **params: Any) -> list[tuple[Any, ...]]:
        """Rows of a statement run by the owner; ``%(tenant)s`` and ``%(library)s`` are this library's."""
        with self.owner_connection() as connection:
            cursor = connection.execute(text, {"tenant": self.tenant, "library": self.library} | params)
            return cursor.fetchall() if cursor.description is not None else []

    @contextmanager
    def owner_connection(self) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(self.database.owner_url) as connection:
            yield connection

    def stored_statistics(self) -> dict[tuple[int, str | None], tuple[int, int]]:
        """Sums of the statistics: (class, lexeme) to (chunks, 0), and (class, None) to (chunks, length)."""
        rows = self.owner(
            """
            WITH mine AS (
              SELECT v.tenant_no, v.version_no
                FROM ragspine.tenant AS t
                JOIN ragspine.library AS l USING (tenant_no)
                JOIN ragspine.index_version AS v USING (tenant_no, library_no)
               WHERE t.tenant = %(tenant)s AND l.library_id = %(library)s AND v.state = 'published'
            )
            SELECT s.acl_class_no, w.lexeme, sum(s.chunk_count), 0
              FROM mine
              JOIN ragspine.lexeme_stat AS s USING (tenant_no, version_no)
              JOIN ragspine.lexeme AS w USING (tenant_no, version_no, lexeme_no)
             GROUP BY s.acl_class_no, w.lexeme
            HAVING sum(s.chunk_count) <> 0
             UNION ALL
            SELECT s.acl_class_no, NULL, sum(s.chunk_count), sum(s.total_length)
              FROM mine
              JOIN ragspine.corpus_stat AS s USING (tenant_no, version_no)
             GROUP BY s.acl_class_no
            HAVING sum(s.chunk_count) <> 0 OR sum(s.total_length) <> 0
            """
        )
        return {(number, lexeme): (int(chunks), int(length)) for number, lexeme, chunks, length in rows}

    def recounted_statistics(self) -> dict[tuple[int, str | None], tuple[int, int]]:
        """The same, counted from the stored texts: every chunk is analysed again. 0 is the library."""
        rows = self.owner(
            """
            WITH word AS (
              SELECT d.acl_class_no, c.chunk_no, a.lexeme, a.frequency, v.statistics = 'library' AS together,
                     k.sensitivity = 'RESTRICTED' AS hidden
                FROM ragspine.tenant AS t
                JOIN ragspine.library AS l USING (tenant_no)
                JOIN ragspine.index_version AS v USING (tenant_no, library_no)
                JOIN ragspine.chunk AS c USING (tenant_no, version_no)
                JOIN ragspine.document AS d USING (tenant_no, document_no)
                JOIN ragspine.acl_class AS k ON k.acl_class_no = d.acl_class_no
                LEFT JOIN LATERAL ragspine.analyze_v1(
                       d.title || E'\\n' || c.text, ragspine.document_analyzer_v1(v.analyzer, d.language)) AS a ON true
               WHERE t.tenant = %(tenant)s AND l.library_id = %(library)s AND v.state = 'published'
            )
            SELECT acl_class_no, lexeme, count(DISTINCT chunk_no), 0
              FROM word WHERE lexeme IS NOT NULL AND NOT together GROUP BY acl_class_no, lexeme
             UNION ALL
            SELECT acl_class_no, NULL, count(DISTINCT chunk_no), coalesce(sum(frequency), 0)
              FROM word GROUP BY acl_class_no
             UNION ALL
            SELECT 0, lexeme, count(DISTINCT chunk_no), 0
              FROM word WHERE lexeme IS NOT NULL AND together AND NOT hidden GROUP BY lexeme
             UNION ALL
            SELECT 0, NULL, count(DISTINCT chunk_no), coalesce(sum(frequency), 0)
              FROM word WHERE together AND NOT hidden HAVING count(*) > 0
            """
        )
        return {(number, lexeme): (int(chunks), int(length)) for number, lexeme, chunks, length in rows}

    def rows_of(self, document_id: str) -> list[tuple[str, str]]:
        """Every row below a document and the transaction that wrote it: what "nothing was rewritten" is seen by."""
        return self.owner(
            """
            WITH d AS (
              SELECT d.* FROM ragspine.document AS d
                JOIN ragspine.tenant AS t USING (tenant_no) JOIN ragspine.library AS l USING (tenant_no, library_no)
               WHERE t.tenant = %(tenant)s AND l.library_id = %(library)s AND d.document_id = %(document)s
            )
            SELECT 'document', x.ctid::text || ' ' || x.xmin::text FROM d
              JOIN ragspine.document AS x USING (tenant_no, document_no)
             UNION ALL
            SELECT 'page', x.ctid::text || ' ' || x.xmin::text FROM d
              JOIN ragspine.document_page AS x USING (tenant_no, document_no)
             UNION ALL
            SELECT 'chunk', x.ctid::text || ' ' || x.xmin::text FROM d
              JOIN ragspine.chunk AS x USING (tenant_no, document_no)
             UNION ALL
            SELECT 'lexical', x.ctid::text || ' ' || x.xmin::text FROM d
              JOIN ragspine.chunk_lexical AS x USING (tenant_no, document_no)
             ORDER BY 1, 2
            """,
            document=document_id,
        )
