"""``sentence_transformers`` with a tiny transformer of random weights, where the package is installed."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked, make_embedding_model
from ragspine_pg.embedding.sentence_transformers import SentenceTransformersModel
from ragspine_pg.errors import ConfigurationError, InvalidEmbeddingInput
from tests.embedding.silence import CANARY, assert_silent

pytest.importorskip("sentence_transformers", reason="pip install 'ragspine-pg[sentence-transformers]'")

DOCUMENT, QUERY = EmbeddingTask.RETRIEVAL_DOCUMENT, EmbeddingTask.RETRIEVAL_QUERY
LONG = f"{CANARY} " * 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that reads 32 tokens and has no prompts."""
    transformers: Any = importlib.import_module("transformers")
    folder: Path = tmp_path_factory.mktemp("tiny")
    letters = [chr(at) for at in range(33, 127)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    tokenizer = transformers.BertTokenizerFast(
        vocab={word: at for at, word in enumerate(words)}, model_max_length=32, do_lower_case=True
    )
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    transformers.set_seed(3)
    transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


def test_long_text_is_refused_and_named(folder: str) -> None:
    model = SentenceTransformersModel(model=folder)
    with pytest.raises(InvalidEmbeddingInput, match=r"^texts\[1\] \(b\): has \d+ tokens, more than the 32") as raised:
        embed_checked(model, ["short", LONG], DOCUMENT, labels=["a", "b"])
    assert_silent(raised.value)


def test_long_text_is_cut_where_asked(folder: str) -> None:
    model = SentenceTransformersModel(model=folder, long_text="end")
    cut, longer = embed_checked(model, [LONG, LONG + " and more"], DOCUMENT).vectors
    assert list(cut) == pytest.approx(list(longer), abs=1e-5)


def test_prefixes_are_put_before_each_text_and_belong_to_the_space(folder: str) -> None:
    plain = SentenceTransformersModel(model=folder)
    model = SentenceTransformersModel(model=folder, document_prefix="d: ", query_prefix="q: ")
    assert model.space.fingerprint != plain.space.fingerprint
    assert (model.space.dimensions, plain.space.document_prefix) == (32, "")
    for task, prefix in ((DOCUMENT, "d: "), (QUERY, "q: ")):
        given = embed_checked(model, ["text"], task).vectors[0]
        written = embed_checked(plain, [f"{prefix}text"], task).vectors[0]
        assert list(given) == pytest.approx(list(written), abs=1e-5)


def test_options_make_it_again(folder: str) -> None:
    model = SentenceTransformersModel(model=folder, query_prefix="q: ", long_text="end", batch_items=3)
    again = make_embedding_model("sentence_transformers", **model.options)
    assert again is not None
    assert (again.space, again.options) == (model.space, model.options)


def test_model_that_is_not_here_is_not_fetched() -> None:
    with pytest.raises(ConfigurationError, match="download=True"):
        SentenceTransformersModel(model="nobody/no-such-model")
