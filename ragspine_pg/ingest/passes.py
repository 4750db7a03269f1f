"""Catches a version up in passes, beside writers: several transactions, and an end whatever the writers do."""

from ragspine_pg.contract.ports import Chunker
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.flow.job import Job, transaction
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up, pending
from ragspine_pg.ingest.catch_up import CaughtUp
from ragspine_pg.ingest.pending import Lacking
from ragspine_pg.ingest.progress import Meter
from ragspine_pg.ingest.target import find_target


def in_passes(
    tenant: str, library_id: str, version: int, models: KnownModels, chunker: Chunker | None, meter: Meter
) -> Job[CaughtUp]:
    """Catch a version up in passes, a batch a transaction; it may still lack documents afterwards.

    A pass goes once over what the version lacks as it begins. What writers change meanwhile is left to the next pass,
    and there is a next one as long as each leaves at most half of what it found: against writers that are faster, no
    number of passes would be enough, and what is left is caught up under the locks of a publish.
    """
    documents = chunks = 0
    usage = Usage()
    found = yield from transaction(_count(tenant, library_id, version))
    meter.report("index", 0, found.documents)
    while found.documents:
        total = documents + found.documents
        read_no: int | None = 0
        while read_no is not None and read_no < found.last_no:
            flow = one_batch(tenant, library_id, version, models, chunker, read_no, found.last_no)
            done = yield from transaction(flow)
            documents, chunks, usage = documents + done.documents, chunks + done.chunks, usage + done.usage
            read_no = done.read_no
            meter.report("index", documents, max(documents, total))
        left = yield from transaction(_count(tenant, library_id, version))
        if 2 * left.documents > found.documents:
            break
        found = left
    yield from transaction(level(tenant, library_id, version, meter))
    return CaughtUp(documents, chunks, usage=usage)


def _count(tenant: str, library_id: str, version: int) -> Flow[Lacking]:
    target = yield from find_target(tenant, library_id, version=version)
    return (yield from pending.count(target))


def one_batch(
    tenant: str,
    library_id: str,
    version: int,
    models: KnownModels,
    chunker: Chunker | None,
    after_no: int,
    last_no: int,
) -> Flow[CaughtUp]:
    """Index the next documents that the version lacks, of those numbered above ``after_no`` and up to ``last_no``."""
    target = yield from catch_up.open_behind(tenant, library_id, version)
    return (yield from catch_up.catch_up(target, models, chunker, after_no=after_no, last_no=last_no))


def level(tenant: str, library_id: str, version: int, meter: Meter) -> Flow[None]:
    """Measure the length pivot of a version that is not published yet, where it is measured."""
    target = yield from catch_up.open_behind(tenant, library_id, version)
    if target.state != "published":
        yield from catch_up.level(target, meter)
