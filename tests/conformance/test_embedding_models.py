"""Every embedding model: one vector a text, in order, whatever the batches; made again from its options; and near."""

import importlib.util
import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy
import pytest

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.space import EmbeddingSpace
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding import EMBEDDING_MODELS, embed_checked, make_embedding_model
from ragspine_pg.embedding.hashing import HashingModel
from ragspine_pg.errors import DeadlineExceeded, EmbeddingRejected
from tests.embedding.scripted import ScriptedServer

DOCUMENT, QUERY = EmbeddingTask.RETRIEVAL_DOCUMENT, EmbeddingTask.RETRIEVAL_QUERY
TEXTS = [
    "An order can be returned within thirty days of delivery, with its receipt.",
    "The avalanche transceiver is checked before each tour.",
    "La garanzia degli sci dura due anni.",
    "工房は月曜日に休みです。",
    "!?",
]
QUESTIONS = {
    "Can an order be returned after thirty days?": 0,
    "checked the avalanche transceiver before the tour": 1,
    "quanto dura la garanzia degli sci": 2,
}

Make = Callable[..., EmbeddingModel | None]


def assert_conforms(model: EmbeddingModel, make: Make = make_embedding_model) -> None:
    """What the Protocol promises. ``make`` is what makes a model again by name and options."""
    assert isinstance(model, EmbeddingModel)
    assert isinstance(model.remote, bool)
    again = make(model.name, **model.options)
    assert again is not None
    assert (again.name, again.space, again.options) == (model.name, model.space, model.options), "not made again"
    assert canonical_json(dict(model.options)), "options are JSON values"
    assert EmbeddingSpace.from_json(model.space.to_json()) == model.space
    by_task = {task: _assert_steady(model, task) for task in EmbeddingTask}
    _assert_close(embed_checked(again, TEXTS, DOCUMENT).vectors, by_task[DOCUMENT])
    same = all(math.dist(*pair) < 1e-4 for pair in zip(by_task[DOCUMENT], by_task[QUERY], strict=True))
    prefixes = model.space.document_prefix, model.space.query_prefix
    assert same == (prefixes[0] == prefixes[1]), "the task's prefix is put before each text"
    questions = embed_checked(model, list(QUESTIONS), QUERY).vectors
    for (question, answer), vector in zip(QUESTIONS.items(), questions, strict=True):
        near = [_cosine(vector, document) for document in by_task[DOCUMENT]]
        assert near.index(max(near)) == answer, f"the passage for {question!r} is not the nearest"
    with pytest.raises(DeadlineExceeded):
        embed_checked(model, TEXTS, DOCUMENT, Deadline.after(0))


def _assert_steady(model: EmbeddingModel, task: EmbeddingTask) -> Sequence[Sequence[float]]:
    """The vectors of TEXTS, which do not depend on order, company or time."""
    texts = list(TEXTS)
    embedded = embed_checked(model, texts, task)
    assert texts == TEXTS, "the texts are left as they were"
    assert embedded.usage.items == len(TEXTS)
    assert embedded.usage.calls >= 1
    assert embedded.usage.tokens > 0
    vectors = list(embedded.vectors)
    _assert_close(embed_checked(model, TEXTS[::-1], task).vectors[::-1], vectors)
    alone = [embed_checked(model, [text], task).vectors[0] for text in TEXTS]
    _assert_close(alone, vectors)
    assert all(math.dist(*pair) > 1e-3 for pair in itertools.combinations(vectors, 2)), "different texts differ"
    return vectors


def _assert_close(found: Sequence[Sequence[float]], expected: Sequence[Sequence[float]]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert math.dist(one, other) < 1e-4, "a vector depends on order, company or time"


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


@pytest.fixture(scope="module")
def service() -> Iterator[ScriptedServer]:
    with ScriptedServer(HashingModel()).running() as server:
        yield server


def _options(name: str, request: pytest.FixtureRequest, folder: Callable[[], str]) -> dict[str, Any]:
    if name == "openai":
        service: ScriptedServer = request.getfixturevalue("service")
        return {"model": "scripted", "dimensions": 256, "base_url": service.url, "batch_items": 2}
    if name == "sentence_transformers":
        if importlib.util.find_spec("sentence_transformers") is None:
            pytest.skip("sentence_transformers is not installed: pip install 'ragspine-pg[sentence-transformers]'")
        return {"model": folder()}
    return {}


@pytest.mark.parametrize("name", EMBEDDING_MODELS)
def test_model_conforms(name: str, request: pytest.FixtureRequest, tmp_path: Any) -> None:
    model = make_embedding_model(name, **_options(name, request, lambda: small_model(str(tmp_path))))
    assert model is not None
    assert model.name == name
    assert_conforms(model)


def small_model(folder: str) -> str:
    """A sentence_transformers model without training: the mean of a fixed random vector for each word."""
    # By their names, because they are not installed where types are checked.
    package, modules, tokenizers = map(
        importlib.import_module,
        ("sentence_transformers", "sentence_transformers.sentence_transformer.modules", "tokenizers"),
    )
    words = sorted({word for text in [*TEXTS, *QUESTIONS] for word in re.findall(r"\w+|[^\w\s]+", text.lower())})
    numbers = {"[UNK]": 0, **{word: at for at, word in enumerate(words, 1)}}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    weights = numpy.random.default_rng(7).normal(size=(len(words) + 1, 64)).astype("float32")
    static = modules.StaticEmbedding(tokenizer, embedding_weights=weights)
    package.SentenceTransformer(modules=[static]).save(folder)
    return folder


class Planted:
    """A conforming model, until a fault is planted by overriding ``embed_all`` or an attribute."""

    name = "planted"
    remote = False
    limits = EmbeddingLimits(items=3)

    def __init__(self, **options: Any) -> None:
        self.options: Mapping[str, Any] = options
        self._hashing = HashingModel()
        self.space = self._hashing.space

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        embedded = self._hashing.embed(texts, task)
        return Embedded(self.change([list(vector) for vector in embedded.vectors], list(texts), task), embedded.usage)

    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return vectors


class Reordered(Planted):
    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return vectors[::-1]


class MovedByCompany(Planted):
    """As where padding leaks into the mean."""

    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        longest = max(map(len, texts))
        return [
            unit([value + 0.01 * (longest - len(text)) / 100 for value in vector])
            for vector, text in zip(vectors, texts, strict=True)
        ]


class Unsteady(Planted):
    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return [unit([value + random.gauss(0, 0.01) for value in vector]) for vector in vectors]


class Meaningless(Planted):
    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return [unit([random.Random(text + str(at)).gauss(0, 1) for at in range(256)]) for text in texts]


class Truncating(Planted):
    """Reads the first letters only."""

    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return [list(v) for v in self._hashing.embed([text[:2] for text in texts], task).vectors]


class DeafToTasks(Planted):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.space = EmbeddingSpace("p", "m", "", 256, self.space.distance, True, "d: ", "q: ")


class NotMadeAgain(Planted):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.space = EmbeddingSpace("p", "m", str(id(self)), 256, self.space.distance, True)


class Uncounted(Planted):
    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        return Embedded(super().embed(texts, task).vectors, Usage())


class Shortened(Planted):
    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return [unit(vector[:128]) for vector in vectors]


class NotNormalised(Planted):
    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return [[3 * value for value in vector] for vector in vectors]


class Merging(Planted):
    """Gives back one vector for equal neighbours, and so too few."""

    def change(self, vectors: list[list[float]], texts: list[str], task: EmbeddingTask) -> list[list[float]]:
        return vectors[: max(1, len(vectors) - 1)]


def unit(vector: Sequence[float]) -> list[float]:
    norm = math.hypot(*vector)
    return [value / norm for value in vector]


def test_core_passes_a_model_without_fault() -> None:
    assert_conforms(Planted(), lambda name, **options: Planted(**options))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Reordered, "depends on order"),
        (MovedByCompany, "depends on order"),
        (Unsteady, "depends on order"),
        (Meaningless, "not the nearest"),
        (Truncating, "not the nearest|different texts differ"),
        (DeafToTasks, "the task's prefix"),
        (NotMadeAgain, "not made again"),
        (Uncounted, "calls"),
        (Shortened, "128 dimensions"),
        (NotNormalised, "length 3.000"),
        (Merging, "2 vectors for 3 texts"),
    ],
)
def test_model_conforms_has_teeth(fault: type[Planted], said: str) -> None:
    with pytest.raises((AssertionError, EmbeddingRejected), match=said):
        assert_conforms(fault(), lambda name, **options: fault(**options))
