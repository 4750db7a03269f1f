"""``client.narrative_index``, awaited: one library, bound to one caller."""

from ragspine_pg.async_client.library import AsyncLibrary
from ragspine_pg.async_client.retriever import AsyncBoundRetriever
from ragspine_pg.client.library import access_in
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.errors import ConfigurationError


class AsyncNarrativeIndex(AsyncBoundRetriever):
    """``NarrativeIndex``, awaited."""

    def __init__(self, library: AsyncLibrary, *, access: Access) -> None:
        if not isinstance(access, Access):
            raise ConfigurationError("access is an Access(tenant, principals); without one nothing is readable")
        super().__init__(library.spine, access_in(library.tenant, access), (library.library_id,))

    @property
    def capability(self) -> Capability:
        """See ``NarrativeIndex.capability``."""
        return reading("narrative_index")
