"""Makes the demo's libraries and fills them; those of an earlier run stay, unless they were made otherwise."""

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.client import Library, RagSpine
from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.demo.asking import Asking
from ragspine_pg.demo.libraries import DemoLibrary
from ragspine_pg.errors import LibraryExists


def fill(asking: Asking, model: EmbeddingModel | None) -> None:
    """Every library, with vectors of ``model`` or without any, and its documents."""
    report = asking.report
    report.step("Five libraries of two companies in four languages; each document says who may read it.")
    if model is not None:
        report.line(f"Passages are kept as words, and as vectors by model {model.name}.")
    for library in asking.libraries.values():
        made, again = _make(asking.spine, library, model)
        done = made.ingest(library.documents)
        name = f"{library.tenant}/{library.library_id}"
        changed = done.documents - done.added - done.unchanged
        report.line(
            f"{name:<21} {library.analyzer:<8} {done.documents:>3} documents:"
            f" {done.added} new, {changed} changed, {done.unchanged} as they were"
            f"{', its library made anew' if again else ''}"
        )
        if done.documents != len(library.documents):
            report.check(f"every document of {name} is stored", False)
    report.check("every document is stored", not report.violated)


def _make(spine: RagSpine, library: DemoLibrary, model: EmbeddingModel | None) -> tuple[Library, bool]:
    """The library, and whether one with other settings (a model came or went, or another release) made way for it."""
    made = spine.library(library.tenant, library.library_id)
    if _create(spine, library, model):
        return made, False
    made.drop()
    return made, _create(spine, library, model)


def _create(spine: RagSpine, library: DemoLibrary, model: EmbeddingModel | None) -> bool:
    """Whether the library is there with these settings."""
    try:
        version = spine.ingestor.create_library(
            library.tenant,
            library.library_id,
            description=library.description,
            analyzer=library.analyzer,
            chunker=library.chunker,
            embedding="none" if model is None else model,
            fields=library.fields,
            profile=library.profile,
            exist_ok=True,
        )
    except LibraryExists:
        return False
    # A chunker's name says nothing of what this release cuts by it, and a library with a model passes for one without.
    chunker = make_chunker(library.chunker, **library.profile.get("chunker_options", {}))
    return version.profile["chunker"]["fingerprint"] == chunker.fingerprint and ("embedding" in version.profile) == (
        model is not None
    )
