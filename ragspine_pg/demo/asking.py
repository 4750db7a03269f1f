"""Asks as one of the tour's callers, and compares what comes back with the corpus's own files and rights."""

from collections.abc import Callable

from ragspine_pg.client import RagSpine
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.locator import Locator
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.result import Hit, SearchResult
from ragspine_pg.demo.callers import WHO
from ragspine_pg.demo.libraries import DemoLibrary, demo_libraries, may_read
from ragspine_pg.demo.report import Report

_ALL = 1000  # the most that one search gives, and more than the demo holds


class Asking:
    """Searches of ``spine``, each of them checked; ``libraries`` are the demo's by tenant and id."""

    def __init__(self, spine: RagSpine, report: Report) -> None:
        self.spine = spine
        self.report = report
        self.libraries: dict[tuple[str, str], DemoLibrary] = {
            (library.tenant, library.library_id): library for library in demo_libraries()
        }

    def ask(
        self,
        question: str,
        access: Access,
        library_id: str,
        *,
        k: int,
        where: MetadataFilter | None = None,
        mode: RetrievalMode = RetrievalMode.ECONOMY,
    ) -> SearchResult:
        """Search and show."""
        self.report.asked(WHO[access], question)
        return self.search(question, access, library_id, k=k, where=where, mode=mode, show=self.report.hits)

    def search(
        self,
        question: str,
        access: Access,
        library_id: str | None = None,
        *,
        k: int = _ALL,
        where: MetadataFilter | None = None,
        expand: str | None = None,
        mode: RetrievalMode = RetrievalMode.ECONOMY,
        show: Callable[[tuple[Hit, ...]], None] | None = None,
    ) -> SearchResult:
        """Search, ``show`` the hits, and compare each with the corpus."""
        result = self.spine.search(
            question, access=access, libraries=library_id, k=k, mode=mode, metadata_filter=where, expand=expand
        )
        if show is not None:
            show(result.hits)
        who = WHO[access].split(",")[0]
        count = len(result.hits)
        self.report.check(
            f"{who} may read what was found ({count} passage{'s'[: count - 1]}), and it is verbatim in its source",
            count > 0 and all(self._is_right(access, hit) for hit in result.hits),
        )
        return result

    def source(self, hit: Hit) -> Document:
        """The document of a hit, as the corpus has it; raises ``KeyError``."""
        return self.libraries[hit.tenant, hit.library_id].document(hit.document_id)

    def readable(self, access: Access) -> set[str]:
        """The ids of all documents of the corpus that ``access`` may read."""
        return {
            document.id
            for library in self.libraries.values()
            for document in library.documents
            if may_read(access, library.tenant, document)
        }

    def _is_right(self, access: Access, hit: Hit) -> bool:
        try:
            source = self.source(hit)
        except KeyError:
            return False
        locator = Locator.parse(hit.locator)
        return (
            may_read(access, hit.tenant, source)
            and hit.title == source.title
            and locator.verify(source.text)
            and source.text[locator.start : locator.end] == hit.text
        )
