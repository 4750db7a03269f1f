"""Rebuild, publish and roll back: jobs, since readers and writers are not to wait for a whole library.

A version is *how* documents are indexed, not *which* (docs/adr/0010). Killed between any two transactions, or within
one, a job leaves what is published as it was; the same call goes on where it ended.
"""

from ragspine_pg.contract.ingest import RebuildReport, VersionInfo
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import IngestError, NotFound, VerificationFailed, VersionNotReady
from ragspine_pg.flow.job import Job, transaction
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up as behind
from ragspine_pg.ingest import discard, measure, pending
from ragspine_pg.ingest import publish as states
from ragspine_pg.ingest.catch_up import CaughtUp
from ragspine_pg.ingest.change import ProfileChanges, changed_profile
from ragspine_pg.ingest.library import add_version, check_analyzer, first_pivot
from ragspine_pg.ingest.progress import Meter, OnProgress
from ragspine_pg.ingest.target import Target, find_target, open_target
from ragspine_pg.ingest.versions import list_versions

_TRIES = 3
"""How often a publish gives its locks back to catch up with what came meanwhile; then it catches up under them."""


def rebuild(
    tenant: str,
    library_id: str,
    changes: ProfileChanges,
    *,
    models: KnownModels,
    progress: OnProgress | None = None,
) -> Job[RebuildReport]:
    """Index the stored documents in a new version under a changed profile, and verify it; publish it apart from that.

    Goes on with a version of the same profile that an earlier call began; one of another profile that was never
    published is dropped. Raises ``NotFound``, ``ConfigurationError``, ``IngestError``, ``EmbeddingError``,
    ``VerificationFailed`` (the version is then ``failed``), ``VersionNotReady`` when another rebuild took its place.
    """
    meter = Meter(progress)
    version, resumed, chunker = yield from transaction(_begin(tenant, library_id, changes, models))
    yield from _discard(tenant, library_id)
    try:
        done = yield from _catch_up(tenant, library_id, version, models, chunker, meter)
        meter.report("check", 0)
        usage = yield from transaction(_verify(tenant, library_id, version, models))
    except VerificationFailed:
        yield from transaction(_fail(tenant, library_id, version))
        raise
    except NotFound:
        raise VersionNotReady(
            f"version {version} of {tenant}/{library_id} is gone: a rebuild with another profile took its place, or"
            " the library was dropped",
            tenant=tenant,
            library=library_id,
            version=version,
        ) from None
    return RebuildReport(version, resumed, done.documents, done.chunks, meter.seconds, done.usage + usage)


def publish(
    tenant: str,
    library_id: str,
    version: int,
    *,
    models: KnownModels,
    chunker: Chunker | None = None,
    progress: OnProgress | None = None,
) -> Job[VersionInfo]:
    """Make a verified or retired version the one that is searched, in one transaction, once it lacks nothing.

    The one that was published is retired. The two retired last are kept; the rows of older ones are deleted afterwards.
    Raises ``NotFound``, ``VersionNotReady``, ``EnvironmentChanged``, ``ConfigurationError``.
    """
    meter = Meter(progress)
    for attempt in range(_TRIES):
        state = yield from transaction(_check(tenant, library_id, version))
        if state == "published":
            break
        yield from _catch_up(tenant, library_id, version, models, chunker, meter)
        flow = _publish(tenant, library_id, version, models, chunker, meter, patient=attempt + 1 == _TRIES)
        if (yield from transaction(flow)):
            break
    yield from _discard(tenant, library_id)
    versions = yield from transaction(list_versions(tenant, library_id))
    return next(found for found in versions if found.version == version)


def roll_back(
    tenant: str,
    library_id: str,
    *,
    models: KnownModels,
    chunker: Chunker | None = None,
    progress: OnProgress | None = None,
) -> Job[VersionInfo]:
    """Publish the version that was published before the present one, with the documents of today.

    Raises as ``publish`` does, and ``NotFound`` when there is none.
    """
    version = yield from transaction(_previous(tenant, library_id))
    return (yield from publish(tenant, library_id, version, models=models, chunker=chunker, progress=progress))


def _begin(
    tenant: str, library_id: str, changes: ProfileChanges, models: KnownModels
) -> Flow[tuple[int, bool, Chunker]]:
    """The number of the version to fill, whether it was there, and its chunker."""
    target = yield from open_target(tenant, library_id)
    wanted = changed_profile(target, changes, models)  # which may load a model: before any lock
    yield from check_analyzer(wanted.profile["analyzer"])
    yield from states.lock_versions(target)
    # A writer that adds documents holds the published version: under this lock all documents are those we see.
    if (yield from find_target(tenant, library_id)).version_no != target.version_no:
        raise IngestError(
            f"another version of {tenant}/{library_id} was published meanwhile; run the rebuild again",
            tenant=tenant,
            library=library_id,
        )
    if wanted.profile["pivot"] == "measured":
        yield from measure.require_one_class(target)
    going_on = None
    for found in (yield from states.list_unpublished(target)):
        same = found.profile == wanted.profile and found.here and found.state != "failed"
        if same and going_on is None:
            going_on = found.version
        else:
            yield from states.set_state(target, found.version_no, "dropped")
    if going_on is not None:
        return going_on, True, wanted.chunker
    pivot = first_pivot(wanted.profile, wanted.chunker)
    version_no, version = yield from add_version(
        target.tenant_no, target.library_no, "building", wanted.profile, pivot, wanted.model
    )
    yield from states.mark_all_pending(target, version_no)
    return version, False, wanted.chunker


def _catch_up(
    tenant: str, library_id: str, version: int, models: KnownModels, chunker: Chunker | None, meter: Meter
) -> Job[CaughtUp]:
    """Catch a version up, a batch a transaction."""
    total = yield from transaction(_count_pending(tenant, library_id, version))
    documents = chunks = 0
    usage = Usage()
    meter.report("index", 0, total)
    more = True
    while more:
        done = yield from transaction(_catch_up_once(tenant, library_id, version, models, chunker))
        documents, chunks, usage = documents + done.documents, chunks + done.chunks, usage + done.usage
        more = done.more
        meter.report("index", documents, max(documents, total))
    yield from transaction(_level(tenant, library_id, version, meter))
    return CaughtUp(documents, chunks, False, usage)


def _count_pending(tenant: str, library_id: str, version: int) -> Flow[int]:
    target = yield from find_target(tenant, library_id, version=version)
    return (yield from pending.count(target))


def _catch_up_once(
    tenant: str, library_id: str, version: int, models: KnownModels, chunker: Chunker | None
) -> Flow[CaughtUp]:
    target = yield from behind.open_behind(tenant, library_id, version)
    return (yield from behind.catch_up(target, models, chunker))


def _level(tenant: str, library_id: str, version: int, meter: Meter) -> Flow[None]:
    target = yield from behind.open_behind(tenant, library_id, version)
    if target.state != "published":
        yield from behind.level(target, meter)


def _verify(tenant: str, library_id: str, version: int, models: KnownModels) -> Flow[Usage]:
    target = yield from open_target(tenant, library_id, version=version)
    usage = yield from behind.verify_version(target, models)
    yield from pending.lock(target)
    now = yield from find_target(tenant, library_id, version=version)
    if now.state == "building":
        yield from states.set_state(now, now.version_no, "verified")
    return usage


def _fail(tenant: str, library_id: str, version: int) -> Flow[None]:
    yield from states.lock_versions((yield from open_target(tenant, library_id, version=version)))
    # Read under the lock: a publish that was under way may have published it.
    now = yield from find_target(tenant, library_id, version=version)
    if now.state in ("building", "verified"):
        yield from states.set_state(now, now.version_no, "failed")


def _check(tenant: str, library_id: str, version: int) -> Flow[str]:
    """The state of a version that may be published, or is. Raises ``VersionNotReady``, ``EnvironmentChanged``."""
    target = yield from open_target(tenant, library_id, version=version)
    return (yield from _require_publishable(target))


def _require_publishable(target: Target) -> Flow[str]:
    advice = {
        "building": "rebuild the library to its end first",
        "failed": "it did not pass its checks; rebuild the library",
        "dropped": "its rows are being deleted; rebuild the library",
    }
    ids: dict[str, str | int] = {
        "tenant": target.tenant,
        "library": target.library_id,
        "version": target.version,
    }
    name = f"version {target.version} of {target.tenant}/{target.library_id}"
    if target.state in advice:
        raise VersionNotReady(f"{name} is {target.state}: {advice[target.state]}", **ids)
    yield from find_target(target.tenant, target.library_id, version=target.version, check_environment=True)
    return target.state


def _publish(
    tenant: str,
    library_id: str,
    version: int,
    models: KnownModels,
    chunker: Chunker | None,
    meter: Meter,
    *,
    patient: bool,
) -> Flow[bool]:
    """Publish a version that lacks little; whether it did. ``patient``: however much it lacks."""
    target = yield from open_target(tenant, library_id, version=version)
    yield from states.lock_versions(target)
    yield from states.await_relabels(target)
    # Nobody marks anything as pending from here on.
    target = yield from find_target(tenant, library_id, version=version)
    if (yield from _require_publishable(target)) == "published":
        return True
    lacking = yield from pending.count(target)
    if lacking > behind.batch_size(target)[0] and not patient:
        return False
    while lacking:
        yield from _catch_up_once(tenant, library_id, version, models, chunker)
        lacking = yield from pending.count(target)
    yield from _level(tenant, library_id, version, meter)
    before = yield from find_target(tenant, library_id)
    yield from states.set_state(before, before.version_no, "retired")
    yield from states.set_state(target, target.version_no, "published")
    yield from states.drop_surplus(target)
    return True


def _previous(tenant: str, library_id: str) -> Flow[int]:
    target = yield from open_target(tenant, library_id)
    version = yield from states.find_previous(target)
    if version is None:
        raise NotFound(
            f"{tenant}/{library_id} has no earlier version to roll back to", tenant=tenant, library=library_id
        )
    return version


def _discard(tenant: str, library_id: str) -> Job[None]:
    """Delete the rows of versions that were given up, now or by a call that was killed."""
    target, dropped = yield from transaction(_dropped(tenant, library_id))
    for version_no in dropped:
        after_no: int | None = 0
        while after_no is not None:
            after_no = yield from transaction(discard.discard(target, version_no, after_no))


def _dropped(tenant: str, library_id: str) -> Flow[tuple[Target, list[int]]]:
    target = yield from open_target(tenant, library_id)
    return target, (yield from discard.list_dropped(target))
