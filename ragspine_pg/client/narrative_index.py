"""One library, bound to one caller."""

from ragspine_pg.client.library import Library, access_in
from ragspine_pg.client.retriever import BoundRetriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.errors import ConfigurationError


class NarrativeIndex(BoundRetriever):
    """A ``NarrativeRetriever`` of one library: ``NarrativeIndex(spine.library("acme", "handbook"), access=…)``.

    Raises ``ConfigurationError`` without an ``Access``. For one of another tenant nothing is readable.
    """

    def __init__(self, library: Library, *, access: Access) -> None:
        if not isinstance(access, Access):
            raise ConfigurationError("access is an Access(tenant, principals); without one nothing is readable")
        super().__init__(library.spine, access_in(library.tenant, access), (library.library_id,))

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("narrative_index")
