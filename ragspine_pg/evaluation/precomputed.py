"""``precomputed:NAME``: the vectors that a judged collection brings along, as an embedding model."""

import hashlib
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ragspine_pg.chunking.general import WholeChunker
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.embedded import Embedded
from ragspine_pg.contract.plain import plain_query
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import Distance, EmbeddingSpace, embedding_text
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError, InvalidEmbeddingInput
from ragspine_pg.evaluation.dataset import Case, Dataset

PREFIX: Final = "precomputed:"

ROUNDING: Final = 2.0**-10
"""How far two vectors of one text may be apart in a number: models round differently from batch to batch."""

_ARRAYS: Final = ("corpus_ids", "corpus", "query_ids", "queries")


class PrecomputedModel:
    """Knows the vectors of a collection's whole documents and of its queries, and of no other text.

    ``dataset``'s folder holds ``vectors-<label>.npz`` with ``corpus_ids``, ``corpus``, ``query_ids`` and ``queries``:
    ids, and a row of numbers for each. A text is looked up by its SHA-256 among what is embedded of the documents
    (title and text, chunker ``whole``) for task document, and among the queries for task query. The space has the
    file's hash as its revision, and cosine distance.

    Raises ``ConfigurationError`` for a missing or malformed file, an id that stands twice in it, a text whose two
    vectors differ by more than the rounding of 16 bits, or without the extra ``evaluate``.
    """

    name: Final = "precomputed"
    remote: Final = False

    def __init__(self, dataset: Dataset, label: str) -> None:
        file = dataset.corpus.parent / f"vectors-{label}.npz"
        if not label.strip() or "/" in label or "\\" in label:
            raise ConfigurationError("precomputed:NAME names a file vectors-NAME.npz of the dataset's folder")
        arrays, revision = _read(file)
        self.options: Mapping[str, Any] = {"label": label, "dataset": dataset.version}
        dimensions = int(arrays["corpus"].shape[1])
        self.space = EmbeddingSpace(self.name, label, revision, dimensions, Distance.COSINE, normalised=False)
        corpus = _by_id(file.name, "corpus", arrays)
        queries = _by_id(file.name, "query", arrays)
        self._queries_with_vectors = frozenset(queries)
        self._vectors = {
            EmbeddingTask.RETRIEVAL_DOCUMENT: _by_text(file.name, _embedded_texts(dataset.documents()), corpus),
            EmbeddingTask.RETRIEVAL_QUERY: _by_text(
                file.name, ((case.query_id, plain_query(case.text)) for case in dataset.cases), queries
            ),
        }

    def knows(self, case: Case) -> bool:
        """Whether a query has a vector."""
        return case.query_id in self._queries_with_vectors

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """The vectors of texts that are known for ``task``; raises ``InvalidEmbeddingInput`` for another text."""
        started = time.monotonic()
        task = EmbeddingTask(task)
        known, found = self._vectors[task], []
        for position, text in enumerate(texts):
            vector = known.get(_digest(text))
            if vector is None:
                kind = "query" if task is EmbeddingTask.RETRIEVAL_QUERY else "document (whole, with its title)"
                raise InvalidEmbeddingInput(
                    f"the precomputed vectors {self.space.model!r} hold none for this text: it is no {kind} of their"
                    " collection",
                    position=position,
                )
            found.append(vector.tolist())
        return Embedded(found, Usage(items=len(found), seconds=time.monotonic() - started))


def _read(file: Any) -> tuple[dict[str, Any], str]:
    """The arrays of the file, numbers in float32, and the file's hash."""
    try:
        import numpy
    except ImportError:
        raise ConfigurationError("precomputed vectors need numpy: pip install 'ragspine-pg[evaluate]'") from None
    if not file.is_file():
        labels = sorted(path.stem.removeprefix("vectors-") for path in file.parent.glob("vectors-*.npz"))
        there = ", ".join(PREFIX + label for label in labels) or "no vectors at all"
        raise ConfigurationError(f"{file.parent} has no {file.name}; there is: {there}")
    try:
        with numpy.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _ARRAYS}
        for name in ("corpus", "queries"):
            arrays[name] = arrays[name].astype(numpy.float32)
            if arrays[name].ndim != 2:
                raise ValueError(name)
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        raise ConfigurationError(f"{file.name} is no file of arrays {', '.join(_ARRAYS)}") from None
    if arrays["corpus"].shape[1] != arrays["queries"].shape[1]:
        raise ConfigurationError(f"{file.name}: documents and queries have vectors of different lengths")
    return arrays, hashlib.sha256(file.read_bytes()).hexdigest()[:32]


def _by_id(file: str, kind: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    ids = [str(name) for name in arrays[f"{kind}_ids"].tolist()]
    rows = arrays["corpus" if kind == "corpus" else "queries"]
    if len(ids) != len(rows) or len(set(ids)) != len(ids):
        raise ConfigurationError(f"{file}: {kind}_ids are not one id a row, each once")
    return dict(zip(ids, rows, strict=True))


def _embedded_texts(documents: Iterable[Document]) -> Iterable[tuple[str, str]]:
    """Document ids, and what is embedded of each: as ingest has it, with one chunk a document."""
    chunker = WholeChunker()
    for document in documents:
        for chunk in chunker.chunk(document):
            yield document.id, embedding_text(document.title, chunk.text)


def _by_text(file: str, texts: Iterable[tuple[str, str]], vectors: Mapping[str, Any]) -> dict[bytes, Any]:
    found: dict[bytes, Any] = {}
    for name, text in texts:
        if name not in vectors:
            continue
        vector = vectors[name]
        if abs(vector - found.setdefault(_digest(text), vector)).max() > ROUNDING:
            raise ConfigurationError(f"{file}: a text occurs twice and has two different vectors", id=name)
    return found


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
