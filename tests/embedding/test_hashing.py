"""``hashing``: the same everywhere, and near where words are shared."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.hashing import HashingModel

DOCUMENT = EmbeddingTask.RETRIEVAL_DOCUMENT
STORABLE = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip)


def embed(*texts: str) -> list[list[float]]:
    return [list(vector) for vector in embed_checked(HashingModel(), texts, DOCUMENT).vectors]


def test_vector_is_the_same_in_another_process() -> None:
    code = (
        "from ragspine_pg.embedding.hashing import HashingModel;"
        "print(HashingModel(4).embed(['Größe matters, 退货政策'], 'retrieval_document').vectors[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[0.6859943405700353, 0.5144957554275265, 0.5144957554275265, 0.0]"


@given(STORABLE)
@settings(deadline=None)
def test_every_text_that_is_not_blank_has_a_vector(text: str) -> None:
    assert len(embed(text)[0]) == 256


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("refund limits", "The refund limit is 300 euros.", "The workshop closes on Mondays."),
        ("退货期限", "商品可在三十天内退货。", "周一维修店不开门。"),
        ("返品の期限", "返品は三十日以内に限ります。", "工房は月曜日に休みです。"),
        ("GRÖSSE", "Die Größe steht auf dem Etikett.", "Montags ist geschlossen."),
        ("ＦＵＬＬ width", "full width forms", "something else"),
    ],
)
def test_shared_words_are_near(query: str, near: str, far: str) -> None:
    question, one, other = embed(query, near, far)
    assert sum(a * b for a, b in zip(question, one, strict=True)) > sum(
        a * b for a, b in zip(question, other, strict=True)
    )
