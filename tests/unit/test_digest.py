"""Hashing keeps Python's lock: in pieces small enough, with the digest of the whole."""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import pytest

from ragspine_pg.contract import digest
from ragspine_pg.contract.locator import slice_sha256
from ragspine_pg.ingest.identity import chunk_ids, content_sha256

SIZES = [0, 1, 2046, 2047, 2048, 4094, 4095, 100_000]
REAL = hashlib.sha256


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what is hashed at once."""
    sizes: list[int] = []

    class Recording:
        def __init__(self, data: bytes = b"") -> None:
            self._digest = REAL()
            if data:
                self.update(data)

        def update(self, data: Any) -> None:
            sizes.append(len(data))
            self._digest.update(data)

        def hexdigest(self) -> str:
            return self._digest.hexdigest()

    monkeypatch.setattr(hashlib, "sha256", Recording)
    return sizes


@pytest.mark.parametrize("size", SIZES)
def test_the_digest_is_that_of_the_whole(size: int) -> None:
    data = random.Random(size).randbytes(size)
    assert digest.sha256_hex(data) == REAL(data).hexdigest()


@pytest.mark.parametrize(
    "hashing",
    [slice_sha256, lambda text: content_sha256("title", text), lambda text: chunk_ids("id", "chunker", [text])],
)
def test_whatever_is_hashed_of_documents_is_hashed_in_small_pieces(
    pieces: list[int], hashing: Callable[[str], object]
) -> None:
    hashing("word " * 5000)
    assert sum(pieces) >= 25_000
    assert max(pieces) < 2048


def test_small_pieces_has_teeth(pieces: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "PIECE", 1 << 20)
    content_sha256("title", "word " * 5000)
    assert max(pieces) > 2047
