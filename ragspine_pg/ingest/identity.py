"""Identities that depend on content alone; their SQL twins are ``document_sha256_v1`` and ``chunk_id_v1``."""

import json
from collections import Counter
from collections.abc import Sequence

from ragspine_pg.contract.digest import sha256_hex


def content_sha256(title: str, text: str) -> str:
    """SHA-256, lower-case hex, over the UTF-8 of the JSON array ``[title, text]``: what "unchanged" means."""
    return sha256_hex(json.dumps([title, text], ensure_ascii=False).encode())


def chunk_ids(document_id: str, chunker: str, slices: Sequence[str]) -> list[str]:
    """The ids of a document's chunks in order: 32 hex digits each, the same wherever and whenever they are made.

    ``chunker`` is the chunker's fingerprint. Identical slices of one document are told apart by their occurrence.
    """
    seen: Counter[str] = Counter()
    ids = []
    for text in slices:
        identity = json.dumps([document_id, chunker, text, seen[text]], ensure_ascii=False, separators=(",", ":"))
        ids.append(sha256_hex(identity.encode())[:32])
        seen[text] += 1
    return ids
