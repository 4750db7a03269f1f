"""Rebuild, publish and roll back: jobs, since readers and writers are not to wait for a whole library.

A version is *how* documents are indexed, not *which* (docs/adr/0010). Killed between any two transactions, or within
one, a job leaves what is published as it was; the same call goes on where it ended.
"""

from dataclasses import replace

from ragspine_pg.contract.ingest import RebuildReport, VersionInfo
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import (
    ConfigurationError,
    EmbeddingError,
    NotFound,
    VerificationFailed,
    VersionChanged,
    VersionNotReady,
)
from ragspine_pg.flow.job import Job, transaction
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up as behind
from ragspine_pg.ingest import discard, measure, passes, pending, seal, settle
from ragspine_pg.ingest import publish as states
from ragspine_pg.ingest.again import again
from ragspine_pg.ingest.change import ProfileChanges, changed_profile
from ragspine_pg.ingest.library import add_version, check_analyzer, first_pivot
from ragspine_pg.ingest.pending import Lacking
from ragspine_pg.ingest.profile import profile_model
from ragspine_pg.ingest.progress import Meter, OnProgress
from ragspine_pg.ingest.target import Target, find_target, open_target, require_environment
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
    published is dropped. Ends also beside writers that are faster: what the version lacks then is pending, and
    ``publish`` puts it in. Raises ``NotFound`` (also when the library is dropped meanwhile), ``ConfigurationError``,
    ``IngestError``, ``EmbeddingError``, ``VerificationFailed`` (the version is then ``failed``), ``VersionNotReady``
    when another rebuild took its place.
    """
    meter = Meter(progress)
    version, resumed, chunker = yield from again(lambda: transaction(_begin(tenant, library_id, changes, models)))
    try:
        yield from _discard(tenant, library_id)
        try:
            done = yield from passes.in_passes(tenant, library_id, version, models, chunker, meter)
            yield from transaction(_seal(tenant, library_id, version, meter))
            meter.report("check", 0)
            usage, left = yield from transaction(_verify(tenant, library_id, version, models))
        except VerificationFailed:
            yield from transaction(_fail(tenant, library_id, version))
            raise
    except NotFound as error:
        ids = {"tenant": tenant, "library": library_id}
        if "version" not in error.ids:
            raise NotFound(f"{tenant}/{library_id} was dropped while it was rebuilt", **ids) from None
        raise VersionNotReady(
            f"version {version} of {tenant}/{library_id} is gone: a rebuild with another profile took its place",
            **ids,
            version=version,
        ) from None
    spent = done.usage + usage
    return RebuildReport(version, resumed, done.documents, done.chunks, meter.seconds, spent, left.documents)


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

    Catches up without the locks first, ``_TRIES`` times at most; then under them, while writers wait. The one that was
    published is retired. The two retired last are kept; the rows of older ones are deleted afterwards. A version whose
    embedding model cannot be had is published where it lacks nothing, with a warning: the one before may be worse.

    Raises ``NotFound``, ``VersionNotReady``, ``EnvironmentChanged``, ``ConfigurationError``.
    """
    meter = Meter(progress)
    missing = None
    for attempt in range(_TRIES):
        target, lacking = yield from transaction(_check(tenant, library_id, version))
        missing = _missing_model(target, models)
        if target.state == "published":
            break
        if missing is not None and lacking:
            raise ConfigurationError(
                f"version {version} of {tenant}/{library_id} lacks {lacking:,} documents as they are now, and"
                f' {missing}; or rebuild the library: embedding="none" does without vectors',
                tenant=tenant,
                library=library_id,
                version=version,
            )
        yield from passes.in_passes(tenant, library_id, version, models, chunker, meter)
        flow = _publish(tenant, library_id, version, models, chunker, meter, patient=attempt + 1 == _TRIES)
        if (yield from transaction(flow)):
            break
    yield from _discard(tenant, library_id)
    versions = yield from transaction(list_versions(tenant, library_id))
    published = next(found for found in versions if found.version == version)
    return replace(published, model_missing=missing)


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
        raise VersionChanged(
            f"another version of {tenant}/{library_id} was published meanwhile; run the rebuild again",
            tenant=tenant,
            library=library_id,
        )
    if wanted.profile["pivot"] == "measured" and wanted.profile["statistics"] == "class":
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


def _seal(tenant: str, library_id: str, version: int, meter: Meter) -> Flow[None]:
    """So that the version is searched by postings from its publish on."""
    yield from seal.seal((yield from open_target(tenant, library_id, version=version)), meter, least=seal.DUE)


def _verify(tenant: str, library_id: str, version: int, models: KnownModels) -> Flow[tuple[Usage, Lacking]]:
    target = yield from open_target(tenant, library_id, version=version)
    usage = yield from behind.verify_version(target, models)
    yield from pending.lock(target)
    now = yield from find_target(tenant, library_id, version=version)
    if now.state == "building":
        yield from states.set_state(now, now.version_no, "verified")
    return usage, (yield from pending.count(now))


def _fail(tenant: str, library_id: str, version: int) -> Flow[None]:
    yield from states.lock_versions((yield from open_target(tenant, library_id, version=version)))
    # Read under the lock: a publish that was under way may have published it.
    now = yield from find_target(tenant, library_id, version=version)
    if now.state in ("building", "verified"):
        yield from states.set_state(now, now.version_no, "failed")


def _check(tenant: str, library_id: str, version: int) -> Flow[tuple[Target, int]]:
    """A version that may be published, or is, and how many documents it lacks.

    Raises ``VersionNotReady``, ``EnvironmentChanged``.
    """
    target = yield from open_target(tenant, library_id, version=version)
    _require_publishable(target)
    return target, (yield from pending.count(target)).documents


def _missing_model(target: Target, models: KnownModels) -> str | None:
    """Why the version's embedding model cannot be had; None where it can, or where it has none."""
    try:
        profile_model(target, models)
    except (ConfigurationError, EmbeddingError) as error:
        return str(error)
    return None


def _require_publishable(target: Target) -> None:
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
    require_environment(target)


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
    _require_publishable(target)
    if target.state == "published":
        return True
    lacking = yield from pending.count(target)
    if lacking.documents > behind.batch_size(target)[0] and not patient:
        return False
    # All that will be locked, at once and by id: batch by batch, a discard could hold what the next one wants and want
    # what the last one holds.
    if target.measured:
        yield from settle.lock_library(target)
    else:
        yield from pending.lock_all(target)
    while lacking.documents:
        yield from behind.catch_up(target, models, chunker, after_no=0, last_no=lacking.last_no)
        lacking = yield from pending.count(target)
    yield from behind.level(target, meter)
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
